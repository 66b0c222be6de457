//! Host an application's tools for any client of any revision of the Model Context Protocol; home of the droid command.
