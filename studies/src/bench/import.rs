//! The memory that `benchwright import` needs, from the file to the store.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result};

use super::goals::{Bound, Goal};
use super::resident::peak_bytes;
use crate::command::git;
use crate::command::run;
use crate::verdicts::Product;

/// The number of names that the default limits allow. This is the worst case, because a name needs far more
/// memory than its text.
const NAMES: usize = 100_000;

/// Imports a file with many names and compares the largest resident set with the size of the file.
pub(crate) fn measure(root: &Path) -> Result<Vec<Goal>> {
    let dir = root.join("target/bench-import");
    let _ = fs::remove_dir_all(&dir);
    let repository = dir.join("repository");
    fs::create_dir_all(&repository).with_context(|| format!("make `{}`", repository.display()))?;
    run(git(&repository).args(["init", "--quiet"]))?;
    let file = dir.join("names.txt");
    write_names(&file).with_context(|| format!("write `{}`", file.display()))?;
    let size = fs::metadata(&file).context("look at the file")?.len();
    let product = Product::build(root, &dir)?;
    let mut command = product.command(&repository);
    let bytes = peak_bytes(command.arg("import").arg(&file).stdout(Stdio::null()))?;
    println!("import_names_size {:.2} MB", size as f64 / 1e6);
    println!("import_names_memory {:.2} MB", bytes as f64 / 1e6);
    fs::remove_dir_all(&dir).with_context(|| format!("remove `{}`", dir.display()))?;
    Ok(vec![Goal {
        name: "memory of `import` of as many names as the limits allow, MB",
        bound: Bound::AtMost(100.0),
        measured: Some(bytes as f64 / 1e6),
    }])
}

fn write_names(file: &Path) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(file)?);
    writeln!(out, "goos: linux\npkg: p")?;
    (0..NAMES).try_for_each(|number| writeln!(out, "BenchmarkN{number} 1 5.0 ns/op"))?;
    writeln!(out, "PASS\nok  \tp\t1s")?;
    out.flush()
}
