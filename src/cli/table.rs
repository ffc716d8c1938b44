//! Tables whose rows take one line each.

use std::fmt;

use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table, presets};

use super::columns::{one_line, width};

/// Between two columns.
pub(super) const GAP: usize = 2;

/// A table in the making: column by column, each as wide as what is in it.
pub(super) struct Rows {
    columns: usize,
    used: usize,
    parts: Vec<Part>,
}

/// One column.
pub(super) struct Part {
    title: &'static str,
    cells: Vec<String>,
    alignment: CellAlignment,
    style: Option<Attribute>,
    colors: Vec<Option<Color>>,
}

impl Rows {
    /// For a terminal of this width.
    pub(super) fn new(columns: usize) -> Self {
        Self { columns, used: 0, parts: Vec::new() }
    }

    /// How wide the next column may be.
    pub(super) fn room(&self) -> usize {
        self.columns.saturating_sub(self.used)
    }

    /// Adds a column.
    pub(super) fn column(&mut self, title: &'static str, cells: impl Iterator<Item = String>) -> &mut Part {
        let cells: Vec<_> = cells.map(|cell| one_line(&cell)).collect();
        let widest = cells.iter().map(|cell| width(cell)).max().unwrap_or_default().max(width(title));
        self.used += widest + GAP;
        let index = self.parts.len();
        self.parts.push(Part { title, cells, alignment: CellAlignment::Left, style: None, colors: Vec::new() });
        &mut self.parts[index]
    }
}

impl Part {
    pub(super) fn right(&mut self) {
        self.alignment = CellAlignment::Right;
    }

    pub(super) fn bold(&mut self) {
        self.style = Some(Attribute::Bold);
    }

    /// One colour a cell.
    pub(super) fn colored(&mut self, colors: Vec<Option<Color>>) {
        self.colors = colors;
    }

    pub(super) fn dim(&mut self) {
        self.style = Some(Attribute::Dim);
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        // Styled always: whoever writes it takes the styles out where they are not wanted.
        table.enforce_styling();
        let titles = self
            .parts
            .iter()
            .map(|part| Cell::new(part.title).add_attribute(Attribute::Dim).set_alignment(part.alignment));
        table.set_header(titles);
        for row in 0..self.parts.iter().map(|part| part.cells.len()).max().unwrap_or_default() {
            let cells = self.parts.iter().map(|part| {
                let mut cell = Cell::new(part.cells.get(row).map_or("", String::as_str)).set_alignment(part.alignment);
                if let Some(style) = part.style {
                    cell = cell.add_attribute(style);
                }
                match part.colors.get(row) {
                    Some(Some(color)) => cell.fg(*color),
                    _ => cell,
                }
            });
            table.add_row(cells);
        }
        let last = self.parts.len().saturating_sub(1);
        for (index, column) in table.column_iter_mut().enumerate() {
            let gap = if index == last { 0 } else { GAP };
            column.set_padding((0, u16::try_from(gap).unwrap_or_default()));
        }
        for line in table.lines() {
            let (text, style) = without_last_style(&line);
            writeln!(f, "{}{style}", text.trim_end())?;
        }
        Ok(())
    }
}

/// A line without the style that ends it, and that style.
fn without_last_style(line: &str) -> (&str, &str) {
    let is_style = |end: &str| {
        let code = end.strip_prefix("\u{1b}[").and_then(|end| end.strip_suffix('m'));
        code.is_some_and(|code| code.chars().all(|character| character.is_ascii_digit() || character == ';'))
    };
    line.rfind('\u{1b}').map(|at| line.split_at(at)).filter(|(_, end)| is_style(end)).unwrap_or((line, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blanks_at_the_end_go_whatever_stands_there() {
        let mut rows = Rows::new(80);
        rows.column("FIRST", ["灯台", "b"].map(str::to_owned).into_iter()).bold();
        rows.column("LAST", ["4m", "1 item"].map(str::to_owned).into_iter()).dim();
        let plain = anstream::adapter::strip_str(&rows.to_string()).to_string();
        assert_eq!(plain, "FIRST  LAST\n灯台   4m\nb      1 item\n");
        let mut rows = Rows::new(80);
        rows.column("FIRST", ["a"].map(str::to_owned).into_iter()).bold();
        rows.column("AGE", ["4m"].map(str::to_owned).into_iter()).right();
        assert_eq!(anstream::adapter::strip_str(&rows.to_string()).to_string(), "FIRST  AGE\na       4m\n");
    }
}
