//! One revision-neutral model of the Model Context Protocol, with lossless text and reported lowering.
