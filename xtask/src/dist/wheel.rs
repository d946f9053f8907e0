//! The Python wheel: the program as a script of the package, so that `pip`, `pipx` and `uv` put it onto the path. It has
//! no Python of its own; the library for Python is another package.

use anyhow::Result;

use super::ReleaseBuild;
use super::archive::pack_folder;
use super::product::Product;

pub(super) fn pack(build: &ReleaseBuild) -> Result<()> {
    let product = &build.product;
    let folder = build.stage("wheel")?;
    let name = Product::PYTHON_NAME.replace('-', "_");
    let base = format!("{name}-{}", product.version);
    let tag = format!("py3-none-{}", build.platform.wheel_tag(&build.format));
    build.place_binary(&folder.join(format!("{base}.data")).join("scripts").join(build.platform.program_file()))?;
    let info = folder.join(format!("{base}.dist-info"));
    build.place_notices(&info.join("licenses"))?;
    fs_err::write(info.join("METADATA"), render_metadata(build))?;
    let wheel = format!("Wheel-Version: 1.0\nGenerator: cargo xtask dist\nRoot-Is-Purelib: false\nTag: {tag}\n");
    fs_err::write(info.join("WHEEL"), wheel)?;
    pack_folder("wheel", &folder, &build.out.join(format!("{base}-{tag}.whl")), &[], build.effort)
}

fn render_metadata(build: &ReleaseBuild) -> String {
    let product = &build.product;
    let licences: String = build.notices.iter().map(|(name, _)| format!("License-File: {name}\n")).collect();
    format!(
        "Metadata-Version: 2.4\nName: {}\nVersion: {}\nSummary: {}\nLicense-Expression: {}\n{licences}\
         Project-URL: Repository, {}\nRequires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n{}",
        Product::PYTHON_NAME,
        product.version,
        product.description,
        product.licence,
        product.repository,
        product.render_readme(&format!("pip install {}", Product::PYTHON_NAME)),
    )
}
