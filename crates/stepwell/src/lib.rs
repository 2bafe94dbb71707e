//! A durable workflow engine to embed: one library, one file.
