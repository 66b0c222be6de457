//! Home of the `droid` command, which translates messages of the Model Context Protocol from one
//! revision to another: build it with the feature `cli`.
//!
//! The library will host an application's tools for clients of every revision; it is empty so far.
