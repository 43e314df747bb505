//! Parameters of commands: `--param name=1,2,4` makes a command of each value.

use anyhow::{Context, Result, bail, ensure};

/// A value for each parameter, by name.
pub type Values = Vec<(String, String)>;

/// More commands than this are a slip of the finger.
const MOST_COMMANDS: usize = 1000;

/// A name and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its values, in the order given.
    pub values: Vec<String>,
}

impl Parameter {
    /// Reads `name=value,value`.
    ///
    /// # Errors
    /// It has another form, or a value twice.
    fn parse(text: &str) -> Result<Self> {
        let advice = || format!("--param {text}: not a parameter; try --param threads=1,2,4");
        let (name, values) = text.split_once('=').with_context(advice)?;
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        ensure!(
            !name.is_empty() && name.chars().all(is_part),
            "--param {text}: a name is made of letters, digits, - and _; try --param threads=1,2,4"
        );
        let mut parameter = Self {
            name: name.to_owned(),
            values: Vec::new(),
        };
        for value in values.split(',') {
            ensure!(
                !value.is_empty(),
                "--param {text}: a value is empty; values are divided by one comma"
            );
            let value = value.to_owned();
            ensure!(
                !parameter.values.contains(&value),
                "--param {text}: the value {value} is there twice"
            );
            parameter.values.push(value);
        }
        Ok(parameter)
    }

    /// Reads all parameters.
    ///
    /// # Errors
    /// One has another form, or two have the same name.
    pub fn parse_all(texts: &[String]) -> Result<Vec<Self>> {
        let mut all: Vec<Self> = Vec::new();
        for text in texts {
            let parameter = Self::parse(text)?;
            if all.iter().any(|known| known.name == parameter.name) {
                bail!(
                    "--param {}: it is there twice; give all values at once, {0}=1,2",
                    parameter.name
                );
            }
            all.push(parameter);
        }
        Ok(all)
    }
}

/// Each value of each parameter with each value of the others; the last parameter changes fastest.
///
/// # Errors
/// They are too many.
pub fn combinations(parameters: &[Parameter]) -> Result<Vec<Values>> {
    let count = parameters.iter().try_fold(1usize, |count, parameter| {
        count.checked_mul(parameter.values.len())
    });
    ensure!(
        count.is_some_and(|count| count <= MOST_COMMANDS),
        "--param: the values make more than {MOST_COMMANDS} commands; give fewer"
    );
    let mut all = vec![Values::new()];
    for Parameter { name, values } in parameters {
        let with = |before: &Values| {
            let before = before.clone();
            values.iter().map(move |value| {
                let mut values = before.clone();
                values.push((name.clone(), value.clone()));
                values
            })
        };
        all = all.iter().flat_map(with).collect();
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(texts: &[&str]) -> Result<Vec<Parameter>> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        Parameter::parse_all(&texts)
    }

    #[test]
    fn parameters_are_read() {
        let parameters = parse(&["n=1,2", "mode=a=b"]).unwrap();
        assert_eq!(parameters[0].values, ["1", "2"]);
        assert_eq!(parameters[1].name, "mode");
        assert_eq!(parameters[1].values, ["a=b"]);
    }

    #[test]
    fn nonsense_is_refused_with_advice() {
        for (nonsense, why) in [
            (&["n"][..], "try --param"),
            (&["=1"], "letters"),
            (&["a b=1"], "letters"),
            (&["n="], "empty"),
            (&["n=1,,2"], "empty"),
            (&["n=1,2,1"], "twice"),
            (&["n=1", "n=2"], "twice"),
        ] {
            let error = parse(nonsense).unwrap_err().to_string();
            assert!(error.contains("--param") && error.contains(why), "{error}");
        }
    }

    #[test]
    fn every_value_meets_every_other() {
        assert_eq!(combinations(&[]).unwrap(), [Values::new()]);
        let all = combinations(&parse(&["a=1,2", "b=x,y"]).unwrap()).unwrap();
        let texts: Vec<String> = all
            .iter()
            .map(|values| values.iter().map(|(_, value)| value.as_str()).collect())
            .collect();
        assert_eq!(texts, ["1x", "1y", "2x", "2y"]);
    }

    #[test]
    fn too_many_commands_are_refused() {
        let values: Vec<String> = (0..100).map(|n: i32| n.to_string()).collect();
        let values = values.join(",");
        let texts = ["a", "b", "c"].map(|name| format!("{name}={values}"));
        let parameters = Parameter::parse_all(&texts).unwrap();
        assert!(combinations(&parameters[..1]).is_ok());
        let error = combinations(&parameters).unwrap_err().to_string();
        assert!(error.contains("more than 1000"), "{error}");
    }
}
