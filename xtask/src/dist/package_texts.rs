//! Packages that are texts: the Homebrew formula, which names the archives of a release with their sums, and the container
//! file, which installs its Debian package.

use super::binary_format::{Machine, SystemKind};
use super::platform::{PLATFORMS, ReleasePlatform};
use super::product::Product;

/// Has glibc 2.41, newer than any machine that builds releases.
const CONTAINER_BASE: &str = "debian:trixie-slim";

/// Names the systems whose archives are there; a release is complete when it has all of them.
pub(super) fn render_formula(product: &Product, sums: &[(String, String)]) -> String {
    let mut blocks = String::new();
    for (system, block) in [(SystemKind::Mac, "on_macos"), (SystemKind::LinuxGlibc, "on_linux")] {
        let inner: String = [(Machine::Arm, "on_arm"), (Machine::X86, "on_intel")]
            .into_iter()
            .filter_map(|(machine, word)| {
                let platform = PLATFORMS.iter().find(|it| it.system == system && it.machine == machine)?;
                Some(format!("    {word} do\n{}    end\n", render_source(product, platform, sums)?))
            })
            .collect();
        if !inner.is_empty() {
            blocks.push_str(&format!("  {block} do\n{inner}  end\n\n"));
        }
    }
    let licences: Vec<String> = product.licence.split(" OR ").map(|licence| format!("\"{licence}\"")).collect();
    format!(
        "class Epitome < Formula\n  desc \"{}\"\n  homepage \"{}\"\n  version \"{}\"\n  license any_of: [{}]\n\n{blocks}  \
         def install\n    bin.install \"epitome\"\n    \
         generate_completions_from_executable(bin/\"epitome\", \"completions\")\n  end\n\n  test do\n    \
         assert_match version.to_s, shell_output(\"#{{bin}}/epitome --version\")\n  end\nend\n",
        product.description,
        product.repository,
        product.version,
        licences.join(", "),
    )
}

fn render_source(product: &Product, platform: &ReleasePlatform, sums: &[(String, String)]) -> Option<String> {
    let file = platform.archive_file(product);
    let (sum, _) = sums.iter().find(|(_, name)| *name == file)?;
    Some(format!("      url \"{}\"\n      sha256 \"{sum}\"\n", product.release_url(&file)))
}

/// Built in the folder with the packages. Debian and container tools call processors alike.
pub(super) fn render_container_file(product: &Product) -> String {
    format!(
        "# {description}\n# Written by `cargo xtask dist`; build it in the folder with the packages:\n#   \
         podman build --tag epitome .\n#   podman run --rm -i -v \"$PWD:/project:ro\" -v epitome:/data epitome mcp\n\
         FROM {CONTAINER_BASE}\nARG TARGETARCH=amd64\n\
         COPY {name}_{version}_${{TARGETARCH}}.deb /tmp/epitome.deb\n\
         RUN dpkg --install /tmp/epitome.deb && rm /tmp/epitome.deb \\\n && useradd --uid 10001 --home-dir /data --create-home epitome\n\
         ENV XDG_DATA_HOME=/data/share XDG_STATE_HOME=/data/state XDG_CONFIG_HOME=/data/config\n\
         USER epitome\nVOLUME /data\nWORKDIR /project\nENTRYPOINT [\"epitome\"]\nCMD [\"mcp\"]\n",
        description = product.description,
        name = product.name,
        version = product.version,
    )
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn the_formula_names_the_archives_that_are_there() {
        let product = Product {
            name: "epitome".to_owned(),
            version: "1.2.3".to_owned(),
            description: "What it is".to_owned(),
            licence: "MIT OR Apache-2.0".to_owned(),
            repository: "https://example.com/epitome".to_owned(),
        };
        let sums = [("abc".to_owned(), "epitome-1.2.3-aarch64-apple-darwin.tar.gz".to_owned())];
        expect![[r##"
            class Epitome < Formula
              desc "What it is"
              homepage "https://example.com/epitome"
              version "1.2.3"
              license any_of: ["MIT", "Apache-2.0"]

              on_macos do
                on_arm do
                  url "https://example.com/epitome/releases/download/v1.2.3/epitome-1.2.3-aarch64-apple-darwin.tar.gz"
                  sha256 "abc"
                end
              end

              def install
                bin.install "epitome"
                generate_completions_from_executable(bin/"epitome", "completions")
              end

              test do
                assert_match version.to_s, shell_output("#{bin}/epitome --version")
              end
            end
        "##]]
        .assert_eq(&render_formula(&product, &sums));
    }
}
