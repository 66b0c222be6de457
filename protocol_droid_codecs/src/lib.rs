//! Codecs for every revision of the Model Context Protocol, and translation between any two.
