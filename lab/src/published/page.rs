//! The page of all tables, as HTML in the form of the lab's reports, and as Markdown.

use anyhow::Result;

use super::plot;
use super::side_by_side::SideBySide;
use crate::{canvas, markdown, report};

/// What stands above all tables.
const ABOUT: &str = "The experiments that Drumline goes back to, and this machine in the same \
                     columns. Machines, years and programs differ: compare the rows of one machine \
                     with each other, and their ratios with those that were published.";

/// What the pages are called.
const TITLE: &str = "Drumline beside what was published";

/// The page as HTML. It needs no other file.
///
/// # Errors
/// A plot cannot be drawn.
pub fn html(tables: &[SideBySide<'_>]) -> Result<String> {
    let mut page = report::head(TITLE);
    page += &format!("<p>{ABOUT}</p>\n<nav>");
    for table in tables {
        let name = report::escape(&table.experiment.name);
        page += &format!("<a href=\"#{name}\">{name}</a>");
    }
    page += "</nav>\n";
    for table in tables {
        let name = report::escape(&table.experiment.name);
        let title = report::escape(&table.experiment.title);
        page += &format!("<section id=\"{name}\"><h2>{title}</h2>\n");
        if table.experiment.plot {
            page += &canvas::both(|layout| Ok(plot::draw(table, layout)?.unwrap_or_default()))?;
        }
        page += &report::grid(&table.grid);
        page += "</section>\n";
    }
    page += "</body></html>\n";
    Ok(page)
}

/// The page as Markdown, without plots.
pub fn markdown(tables: &[SideBySide<'_>]) -> String {
    let mut page = format!("# {TITLE}\n\n{ABOUT}\n");
    for table in tables {
        page += &format!("\n## {}\n\n", table.experiment.name);
        page += &markdown::table(&table.grid);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::published::evidence::Evidence;
    use crate::published::experiment::all;
    use crate::published::side_by_side::side_by_side;

    #[test]
    fn both_pages_have_every_published_figure() {
        let experiments = all().unwrap();
        let tables: Result<Vec<_>> = experiments
            .iter()
            .map(|experiment| side_by_side(experiment, &Evidence::default(), &Machine::default()))
            .collect();
        let tables = tables.unwrap();
        let [html, text] = [html(&tables).unwrap(), markdown(&tables)];
        for experiment in &experiments {
            assert!(html.contains(&format!("<section id=\"{}\">", experiment.name)));
            assert!(text.contains(&format!("\n## {}\n", experiment.name)));
            for row in &experiment.published {
                let cells = row.figures.join("</td><td>");
                let cells = format!("<td class=\"name\">published</td><td>{cells}</td>");
                assert!(html.contains(&cells), "{cells}");
                let cells = format!("| published | {} |", row.figures.join(" | "));
                assert!(text.contains(&cells), "{cells}");
            }
        }
        assert_eq!(
            html.matches("<svg").count(),
            4,
            "both trees have a plot in two widths"
        );
    }
}
