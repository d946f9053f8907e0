//! The store for teams: PostgreSQL.
