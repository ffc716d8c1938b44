//! The terminal face: what people and scripts see.

mod billing;
mod completion;
mod config;
mod doctor;
mod failure;
mod generated;
mod interrupt;
mod screens;
mod send;
mod text;
mod usage;
