//! No files import each other, directly or in a circle. A file may use the module that contains it: files with `impl` blocks
//! extend the type of their parent.

use crate::sources::sources;
use std::collections::{BTreeMap, BTreeSet};

/// A path of modules below the crate, such as `["go", "board"]`.
type Module = Vec<String>;

/// The imports of the sources, by module; an inline `mod tests` and what follows it is left out.
struct Imports {
    files: BTreeMap<Module, String>,
    /// The origin of each name that a module re-exports with `pub use`.
    origins: BTreeMap<Module, Module>,
}

impl Imports {
    fn read() -> Imports {
        let files: BTreeMap<Module, String> =
            sources().into_iter().map(|source| (module_of(&source.name), code_of(&source.text))).collect();
        let mut imports = Imports { files, origins: BTreeMap::new() };
        let exported = imports.files.iter().flat_map(|(module, text)| {
            let paths = uses(text).into_iter().filter(|(is_public, _)| *is_public).map(|(_, path)| path);
            paths.filter_map(|path| imports.absolute(module, &path)).map(|origin| {
                let name = origin.last().cloned().unwrap_or_default();
                ([module.as_slice(), &[name]].concat(), origin)
            })
        });
        imports.origins = exported.collect();
        imports
    }

    /// Returns a path as written in `module` as a path from the crate on; `None` for other crates and local names.
    fn absolute(&self, module: &Module, path: &str) -> Option<Module> {
        let mut parts: Vec<String> = path.split("::").map(str::to_owned).collect();
        let first = parts.first().cloned()?;
        let mut base = module.clone();
        match first.as_str() {
            "crate" => base.clear(),
            "self" => {}
            "super" => {
                base.pop();
            }
            name => {
                base.push(name.to_owned());
                let is_child = self.files.contains_key(&base);
                base.pop();
                return is_child.then(|| [base, parts].concat());
            }
        }
        parts.remove(0);
        while parts.first().is_some_and(|part| part == "super") {
            base.pop();
            parts.remove(0);
        }
        Some([base, parts].concat())
    }

    /// Returns the file that defines a path.
    fn file_of(&self, path: &[String], depth: usize) -> Option<Module> {
        for end in (1..=path.len()).rev() {
            let origin = self.origins.get(&path[..end]).filter(|_| depth < 9);
            if let Some(origin) = origin {
                return self.file_of(&[origin.as_slice(), &path[end..]].concat(), depth + 1);
            }
            if self.files.contains_key(&path[..end]) {
                return Some(path[..end].to_vec());
            }
        }
        None
    }

    /// Returns the files that `module` imports from, without those that contain it.
    fn of(&self, module: &Module) -> BTreeSet<Module> {
        let text = &self.files[module];
        let written = uses(text).into_iter().filter(|(is_public, _)| !is_public).map(|(_, path)| path);
        let paths = written.chain(inline_paths(text));
        let files =
            paths.filter_map(|path| self.absolute(module, &path)).filter_map(|path| self.file_of(&path, 0));
        files.filter(|file| !module.starts_with(file)).collect()
    }
}

/// Returns the module of a file named from `src` on.
fn module_of(name: &str) -> Module {
    let path = name.trim_end_matches(".rs").trim_end_matches("/mod");
    if path == "lib" { Vec::new() } else { path.split('/').map(str::to_owned).collect() }
}

/// Returns the code of a file without comments and unit tests.
fn code_of(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Returns the paths of the `use` declarations, each with true if it is public.
fn uses(text: &str) -> Vec<(bool, String)> {
    let declarations = text.split(';').filter_map(|part| {
        let line = part.rfind("\nuse ").map(|at| (at + 1, false)).into_iter();
        let public = part.rfind("pub use ").or_else(|| part.rfind("pub(")).map(|at| (at, true));
        let start = part.strip_prefix("use ").map(|_| (0, false)).into_iter();
        let (at, is_public) = line.chain(public).chain(start).max_by_key(|(at, _)| *at)?;
        let (_, path) = part[at..].split_once("use ")?;
        Some((is_public, path.split_whitespace().collect::<Vec<_>>().join(" ")))
    });
    declarations
        .flat_map(|(is_public, path)| expand(&path).into_iter().map(move |path| (is_public, path)))
        .collect()
}

/// Returns the single paths of a `use` tree such as `a::{b, c::{d, e}}`.
fn expand(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((prefix, rest)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().unwrap_or_default().to_owned()];
    };
    let inside = rest.trim_end().trim_end_matches('}');
    let inside = &rest[..rest.rfind('}').unwrap_or(inside.len())];
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for symbol in inside.chars() {
        depth += i32::from(symbol == '{') - i32::from(symbol == '}');
        if symbol == ',' && depth == 0 {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(symbol);
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| expand(&format!("{prefix}{}", part.trim()))).collect()
}

/// Returns the paths that begin with `crate::`, `super::` or `self::` outside declarations.
fn inline_paths(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let words = text.split(|c: char| !is_part(c));
    let begins = |word: &&str| ["crate::", "super::", "self::"].iter().any(|start| word.starts_with(start));
    words.filter(begins).map(|word| word.trim_end_matches(':').to_owned()).collect()
}

/// Returns the modules that can be reached from `start` along imports.
fn reachable(imports: &BTreeMap<Module, BTreeSet<Module>>, start: &Module) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&Module> = imports[start].iter().collect();
    while let Some(module) = open.pop() {
        if found.insert(module.clone()) {
            open.extend(imports.get(module).into_iter().flatten());
        }
    }
    found
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let read = Imports::read();
    let imports: BTreeMap<Module, BTreeSet<Module>> = read
        .files
        .keys()
        .filter(|module| !module.is_empty())
        .map(|module| (module.clone(), read.of(module)))
        .collect();
    let all: usize = imports.values().map(BTreeSet::len).sum();
    assert!(all > 500, "only {all} imports were found");
    let mut circles = BTreeSet::new();
    for module in imports.keys() {
        let within = reachable(&imports, module);
        if within.contains(module) {
            let circle: BTreeSet<String> = within
                .iter()
                .filter(|other| reachable(&imports, other).contains(module))
                .map(|other| other.join("/"))
                .collect();
            circles.insert(circle);
        }
    }
    let lines: Vec<String> =
        circles.iter().map(|circle| circle.iter().cloned().collect::<Vec<_>>().join(", ")).collect();
    assert!(lines.is_empty(), "circles of imports:\n{}", lines.join("\n"));
}
