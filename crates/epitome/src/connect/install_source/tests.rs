//! The folders that real installers make, and the source that is read from them.

use super::*;
use tempfile::TempDir;

/// Makes the files below a new folder, and tells how a program there was installed. Paths in the result begin with `/`.
fn source_of(program: &str, files: &[(&str, &str)]) -> InstallSource {
    let folder = TempDir::new().expect("a folder");
    let root = fs::canonicalize(folder.path()).expect("a folder");
    for (path, text) in files.iter().chain(&[(program, "")]) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text.replace("ROOT", &root.display().to_string())).expect("a file");
    }
    let at_root = |path: PathBuf| path.strip_prefix(&root).map_or(path.clone(), |inner| Path::new("/").join(inner));
    match InstallSource::find(&root.join(program)) {
        InstallSource::NpmProject(path) => InstallSource::NpmProject(at_root(path)),
        InstallSource::Pip(path) => InstallSource::Pip(at_root(path)),
        InstallSource::Checkout(path) => InstallSource::Checkout(at_root(path)),
        InstallSource::Cargo(CargoOrigin::Folder(path)) => InstallSource::Cargo(CargoOrigin::Folder(at_root(path))),
        whole @ (InstallSource::NpmCache
        | InstallSource::NpmGlobal
        | InstallSource::PnpmGlobal
        | InstallSource::Pipx
        | InstallSource::UvTool
        | InstallSource::Homebrew
        | InstallSource::Debian
        | InstallSource::Cargo(_)
        | InstallSource::Archive) => whole,
    }
}

#[track_caller]
fn check(program: &str, files: &[(&str, &str)], wanted: &InstallSource) {
    assert_eq!(&source_of(program, files), wanted, "{program}");
}

#[test]
fn packages_of_npm_are_known_by_their_folders() {
    let inner = "node_modules/epitome-linux-x64/bin/epitome";
    check(&format!("usr/lib/{inner}"), &[], &InstallSource::NpmGlobal);
    check(
        &format!("home/.npm/_npx/3f2a/{inner}"),
        &[("home/.npm/_npx/3f2a/package.json", "{}")],
        &InstallSource::NpmCache,
    );
    let project = InstallSource::NpmProject(PathBuf::from("/home/shop"));
    check(&format!("home/shop/{inner}"), &[("home/shop/package.json", "{}")], &project);
    // A package that depends on ours has a folder of its own for it.
    check(&format!("home/shop/node_modules/other/{inner}"), &[("home/shop/package.json", "{}")], &project);
    let pnpm = "home/.local/share/pnpm/global/5/.pnpm/epitome-linux-x64@0.2.0";
    check(&format!("{pnpm}/{inner}"), &[], &InstallSource::PnpmGlobal);
}

#[test]
fn wheels_are_known_by_what_the_installer_noted() {
    let noted = |root: &str| format!("{root}/lib/python3.12/site-packages/epitome_cli-0.2.0.dist-info/METADATA");
    let pipx = "home/.local/share/pipx/venvs/epitome-cli";
    check(&format!("{pipx}/bin/epitome"), &[(&noted(pipx), "")], &InstallSource::Pipx);
    let uv = "home/.local/share/uv/tools/epitome-cli";
    check(&format!("{uv}/bin/epitome"), &[(&noted(uv), "")], &InstallSource::UvTool);
    let python = InstallSource::Pip(PathBuf::from("/srv/.venv/bin/python3"));
    let files = [(noted("srv/.venv"), ""), ("srv/.venv/bin/python3".to_owned(), "")];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    check("srv/.venv/bin/epitome", &files, &python);
    check("home/.local/bin/epitome", &[(&noted("home/.local"), "")], &InstallSource::Pip(PathBuf::from("python3")));
    // The library for Python is another package, and brings no program.
    let library = "home/.local/lib/python3.12/site-packages/epitome-0.2.0.dist-info/METADATA";
    check("home/.local/bin/epitome", &[(library, "")], &InstallSource::Archive);
}

#[test]
fn cargo_says_where_it_had_the_source_from() {
    let listed = |origin: &str| {
        format!("[v1]\n\"ripgrep 14.1.0 (registry+x)\" = [\"rg\"]\n\"epitome 0.2.0 ({origin})\" = [\"epitome\"]\n")
    };
    let check = |origin: &str, wanted: CargoOrigin| {
        let list = listed(origin);
        check("home/.cargo/bin/epitome", &[("home/.cargo/.crates.toml", &list)], &InstallSource::Cargo(wanted));
    };
    check("registry+https://index.example", CargoOrigin::Registry);
    check(
        "git+https://host.example/epitome?branch=main#0123abc",
        CargoOrigin::Git("https://host.example/epitome".to_owned()),
    );
    check("path+file://ROOT/source/crates/epitome", CargoOrigin::Folder(PathBuf::from("/source/crates/epitome")));
    // Another program of cargo stands beside ours, which was unpacked there.
    super::tests::check("home/.cargo/bin/epitome", &[("home/.cargo/.crates.toml", "[v1]\n")], &InstallSource::Archive);
}

#[test]
fn the_rest_is_told_by_the_place_alone() {
    check("opt/homebrew/Cellar/epitome/0.2.0/bin/epitome", &[], &InstallSource::Homebrew);
    let manifest = [("source/crates/epitome/Cargo.toml", "")];
    check("source/target/release/epitome", &manifest, &InstallSource::Checkout(PathBuf::from("/source")));
    check("other/target/release/epitome", &[], &InstallSource::Archive);
    check("opt/epitome-0.2.0/epitome", &[], &InstallSource::Archive);
}

#[test]
fn a_path_is_written_as_a_shell_takes_it() {
    let steps = InstallSource::NpmProject(PathBuf::from("/home/it's here")).upgrade_steps(Path::new("/x"));
    assert_eq!(steps, ["npm install --prefix '/home/it'\\''s here' epitome@latest"]);
}
