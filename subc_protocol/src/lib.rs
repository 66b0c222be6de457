//! The route-frame contract between consumers and providers of tool calls: bodies, envelope and at-most-once fence.
