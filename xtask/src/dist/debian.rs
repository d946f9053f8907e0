//! The Debian package, where the system has one and `dpkg-deb` is there.

use anyhow::{Result, bail};

use super::product::Product;
use super::{PackEffort, ReleaseBuild};
use crate::process::{self, command_in};

/// Where distributions look for completions of a shell.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/epitome"),
    ("zsh", "usr/share/zsh/vendor-completions/_epitome"),
    ("fish", "usr/share/fish/vendor_completions.d/epitome.fish"),
];

pub(super) fn pack(build: &ReleaseBuild) -> Result<()> {
    let Some(architecture) = build.platform.debian else { return Ok(()) };
    if process::find_program("dpkg-deb").is_none() {
        println!("left out: the Debian package, which needs dpkg-deb");
        return Ok(());
    }
    let product = &build.product;
    let folder = build.stage("debian")?;
    let program = folder.join("usr").join("bin").join("epitome");
    build.place_binary(&program)?;
    let documents = folder.join("usr").join("share").join("doc").join(&product.name);
    build.place_notices(&documents)?;
    fs_err::write(documents.join("copyright"), render_copyright(product))?;
    for (shell, path) in COMPLETIONS {
        // The program may be one for another processor.
        match process::read_output(command_in(&folder, &program, &["completions", shell])) {
            Ok(text) => {
                let file = folder.join(path);
                fs_err::create_dir_all(file.parent().expect("a completion has a folder"))?;
                fs_err::write(file, text)?;
            }
            Err(error) => println!("left out: completions for {shell}: {error}"),
        }
    }
    fs_err::create_dir_all(folder.join("DEBIAN"))?;
    let kilobytes = fs_err::metadata(&program)?.len() / 1024;
    fs_err::write(folder.join("DEBIAN").join("control"), render_control(build, architecture, kilobytes)?)?;
    let out = build.out.join(format!("{}_{}_{architecture}.deb", product.name, product.version));
    let level = if build.effort == PackEffort::Smallest { "-Zxz" } else { "-Zgzip" };
    let mut command = command_in(&folder, "dpkg-deb", &["--root-owner-group", level]);
    if build.effort == PackEffort::Quickest {
        command.arg("-z1");
    }
    command.env("SOURCE_DATE_EPOCH", "315532800").arg("--build").arg(&folder).arg(out);
    process::read_output(command)?;
    Ok(())
}

fn render_control(build: &ReleaseBuild, architecture: &str, kilobytes: u64) -> Result<String> {
    let Some((major, minor)) = build.format.glibc else { bail!("a Debian package needs a program that uses glibc") };
    let Product { name, version, description, repository, .. } = &build.product;
    Ok(format!(
        "Package: {name}\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: {}\nSection: devel\n\
         Priority: optional\nInstalled-Size: {kilobytes}\nDepends: libc6 (>= {major}.{minor}), libgcc-s1\n\
         Recommends: git\nHomepage: {repository}\nDescription: {description}\n \
         One program: an index of the code of a project, and the conversations about it, kept verbatim.\n",
        Product::MAINTAINER
    ))
}

fn render_copyright(product: &Product) -> String {
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: {}\nSource: {}\n\n\
         Files: *\nCopyright: 2026 The Epitome authors\nLicense: {}\n The texts, and those of what is inside of the \
         program, lie beside this file.\n",
        product.name,
        product.repository,
        product.licence.replace(" OR ", " or ").replace("MIT", "Expat"),
    )
}
