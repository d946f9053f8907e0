//! Commands that set Epitome up and check the setup: `init`, `disconnect`, `doctor`, `diagnose`, `config`, `git-hooks`,
//! `completions`, `reference`, `upgrade`.

pub(super) mod completions;
pub(super) mod config;
pub(super) mod diagnose;
pub(super) mod disconnect;
pub(super) mod doctor;
pub(super) mod git_hooks;
pub(super) mod init;
pub(super) mod reference;
pub(super) mod upgrade;
