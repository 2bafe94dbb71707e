//! Three real servers on one PostgreSQL: each takes any request, and what one saves the others know; a server that is
//! killed, stopped or told to end leaves its runs to the others.

#[path = "../kit/mod.rs"]
mod kit;

mod anywhere;
mod nodes;
mod saved;
mod take_over;
mod upgrade;
