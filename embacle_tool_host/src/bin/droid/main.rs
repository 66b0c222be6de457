//! The `droid` command.

fn main() {}
