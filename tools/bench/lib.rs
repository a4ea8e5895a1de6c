//! Benches of twistbase; no library. `cargo bench -p twistbase-bench --bench NAME`.
