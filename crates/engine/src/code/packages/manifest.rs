//! Reads in the manifest of a package what the package is called and which packages it needs. A manifest is a foreign text:
//! what cannot be read in it names nothing.

use serde_json::Value;

/// Where packages of one kind are known by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Ecosystem {
    Npm,
    Cargo,
    Python,
    Go,
    Maven,
}

/// What one manifest says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    /// What its package is called.
    pub(super) name: Option<String>,
    /// Packages it needs, each once.
    pub(super) needs: Vec<String>,
}

/// Which kind of packages a file is a manifest of.
pub(super) fn ecosystem_of(path: &str) -> Option<Ecosystem> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name {
        "package.json" => Some(Ecosystem::Npm),
        "Cargo.toml" => Some(Ecosystem::Cargo),
        "pyproject.toml" => Some(Ecosystem::Python),
        "go.mod" => Some(Ecosystem::Go),
        "pom.xml" | "build.gradle" | "build.gradle.kts" => Some(Ecosystem::Maven),
        name if name.starts_with("requirements") && name.strip_suffix(".txt").is_some() => Some(Ecosystem::Python),
        _ => None,
    }
}

pub(super) fn read_manifest(path: &str, text: &str) -> Manifest {
    let mut found = match path.rsplit('/').next().unwrap_or(path) {
        "package.json" => serde_json::from_str(text).map(|value| read_npm(&value)).unwrap_or_default(),
        "Cargo.toml" => toml::from_str(text).map(|value| read_cargo(&value)).unwrap_or_default(),
        "pyproject.toml" => toml::from_str(text).map(|value| read_pyproject(&value)).unwrap_or_default(),
        "go.mod" => read_go(text),
        "pom.xml" => read_pom(text),
        "build.gradle" | "build.gradle.kts" => read_gradle(text),
        _ => Manifest { name: None, needs: text.lines().filter_map(python_requirement).collect() },
    };
    found.needs.sort_unstable();
    found.needs.dedup();
    found
}

fn text_at(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer).and_then(Value::as_str).map(str::to_owned)
}

fn keys_at<'v>(value: &'v Value, pointer: &str) -> impl Iterator<Item = (&'v String, &'v Value)> {
    value.pointer(pointer).and_then(Value::as_object).into_iter().flatten()
}

fn read_npm(value: &Value) -> Manifest {
    let tables = ["/dependencies", "/devDependencies", "/peerDependencies", "/optionalDependencies"];
    let needs = tables.iter().flat_map(|table| keys_at(value, table)).map(|(name, _)| name.clone());
    Manifest { name: text_at(value, "/name"), needs: needs.collect() }
}

fn read_cargo(value: &Value) -> Manifest {
    let tables = ["/dependencies", "/dev-dependencies", "/build-dependencies", "/workspace/dependencies"];
    let needs = tables.iter().flat_map(|table| keys_at(value, table));
    let for_targets = keys_at(value, "/target").flat_map(|(_, target)| keys_at(target, "/dependencies"));
    // A dependency may go by another name here than the package has.
    let named = |(name, entry): (&String, &Value)| text_at(entry, "/package").unwrap_or_else(|| name.clone());
    Manifest { name: text_at(value, "/package/name"), needs: needs.chain(for_targets).map(named).collect() }
}

fn read_pyproject(value: &Value) -> Manifest {
    let listed = |list: &Value| -> Vec<String> {
        list.as_array().into_iter().flatten().filter_map(Value::as_str).filter_map(python_requirement).collect()
    };
    let mut needs = value.pointer("/project/dependencies").map(listed).unwrap_or_default();
    needs.extend(keys_at(value, "/project/optional-dependencies").flat_map(|(_, list)| listed(list)));
    // The version of the interpreter stands among them, under a name that no package has.
    needs.extend(keys_at(value, "/tool/poetry/dependencies").map(|(name, _)| name.clone()));
    let name = text_at(value, "/project/name").or_else(|| text_at(value, "/tool/poetry/name"));
    Manifest { name, needs }
}

/// The package of a requirement as PEP 508 writes it.
fn python_requirement(line: &str) -> Option<String> {
    let line = line.trim();
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))).unwrap_or(line.len());
    (end > 0 && line.starts_with(|c: char| c.is_ascii_alphanumeric())).then(|| line[..end].to_owned())
}

fn read_go(text: &str) -> Manifest {
    let mut found = Manifest::default();
    let mut is_list = false;
    for line in text.lines().map(|line| line.split("//").next().unwrap_or_default().trim()) {
        let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match first {
            "module" => found.name = Some(rest.trim().to_owned()),
            "require" if rest.trim() == "(" => is_list = true,
            "require" => found.needs.extend(rest.split_whitespace().next().map(str::to_owned)),
            ")" => is_list = false,
            "" => {}
            module if is_list => found.needs.push(module.to_owned()),
            _ => {}
        }
    }
    found
}

/// The text of the first element of that name.
fn element<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(inner, _)| inner.trim())
}

fn read_pom(text: &str) -> Manifest {
    let coordinates = |text: &str, group: Option<&str>| {
        let group = element(text, "groupId").or(group)?;
        Some(format!("{group}:{}", element(text, "artifactId")?))
    };
    let needs =
        text.split("<dependency>").skip(1).filter_map(|rest| coordinates(rest.split("</dependency>").next()?, None));
    // The project's own coordinates stand outside of the elements that name others.
    let mut own = text.to_owned();
    for others in ["parent", "dependencies", "dependencyManagement", "build", "profiles"] {
        while let Some((start, end)) = own.find(&format!("<{others}>")).zip(own.find(&format!("</{others}>"))) {
            if end < start {
                break;
            }
            own.replace_range(start..end + others.len() + 3, "");
        }
    }
    let parent = element(text, "parent").and_then(|parent| element(parent, "groupId"));
    Manifest { name: coordinates(&own, parent), needs: needs.collect() }
}

/// Dependencies that are written as `group:name:version`.
fn read_gradle(text: &str) -> Manifest {
    let quoted = text.split(['"', '\'']).skip(1).step_by(2);
    let named = quoted.filter_map(|text| {
        let mut parts = text.split(':');
        let (group, name) = (parts.next()?, parts.next()?);
        let is_name = |part: &str| !part.is_empty() && !part.contains(char::is_whitespace);
        (parts.next().is_some() && is_name(group) && is_name(name)).then(|| format!("{group}:{name}"))
    });
    Manifest { name: None, needs: named.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, name: Option<&str>, needs: &[&str]) {
        let found = read_manifest(path, text);
        assert_eq!((found.name.as_deref(), found.needs), (name, needs.iter().map(|it| (*it).to_owned()).collect()));
    }

    #[test]
    fn manifests_say_what_a_package_is_called_and_needs() {
        let npm = r#"{"name":"@a/web","dependencies":{"@a/core":"^1"},"devDependencies":{"vitest":"*","@a/core":"*"}}"#;
        check("web/package.json", npm, Some("@a/web"), &["@a/core", "vitest"]);
        let cargo = "[package]\nname = \"web\"\n[dependencies]\ncore = { package = \"acme-core\", path = \"../c\" }\n[target.'cfg(unix)'.dependencies]\nlibc = \"1\"\n";
        check("Cargo.toml", cargo, Some("web"), &["acme-core", "libc"]);
        let python = "[project]\nname = \"web\"\ndependencies = [\"acme-core[x]>=1 ; python_version>'3'\"]\n[project.optional-dependencies]\nt = [\"pytest\"]\n";
        check("pyproject.toml", python, Some("web"), &["acme-core", "pytest"]);
        check("requirements-dev.txt", "# all\n-r other.txt\nacme_core==1\n\nflask\n", None, &["acme_core", "flask"]);
        let go = "module example.org/web // here\n\ngo 1.22\n\nrequire example.org/one v1\nrequire (\n\texample.org/core v1.2.0 // indirect\n)\n";
        check("go.mod", go, Some("example.org/web"), &["example.org/core", "example.org/one"]);
        let pom = "<project><parent><groupId>org.a</groupId><artifactId>all</artifactId></parent><artifactId>web</artifactId>\
            <dependencies><dependency><groupId>org.a</groupId><artifactId>core</artifactId></dependency></dependencies></project>";
        check("pom.xml", pom, Some("org.a:web"), &["org.a:core"]);
        check(
            "build.gradle",
            "dependencies { implementation 'org.a:core:1.0' \n testImplementation(\"x:y\") }",
            None,
            &["org.a:core"],
        );
    }

    #[test]
    fn what_cannot_be_read_names_nothing() {
        for path in
            ["package.json", "Cargo.toml", "pyproject.toml", "go.mod", "pom.xml", "build.gradle", "requirements.txt"]
        {
            for text in ["", "{", "[", "<dependency>", "</parent><parent>", "'", "\u{0}", "((("] {
                let found = read_manifest(path, text);
                assert_eq!(found, Manifest::default(), "{path} {text:?}");
            }
        }
        assert_eq!(read_manifest("go.mod", "module").name.as_deref(), Some(""), "which `load_packages` leaves out");
    }
}
