//! The picture in the terminal.

use std::time::Duration;

use chipmill::player::{Meter, Now, VOICES};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::Line;
use ratatui::widgets::{Gauge, Paragraph};

use crate::commands::text::{clock, printable};

/// The eighths of a cell, from the left.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// The cells of a voice's name.
const NAME: u16 = 12;
/// The cells of a voice, with its name.
const COLUMN: u16 = 26;

/// The picture, and what moves in it.
pub struct Screen {
    songs: usize,
    rate: u32,
    meters: [Meter; VOICES],
}

impl Screen {
    /// A picture for a list of `songs`, and frames of this rate.
    pub fn new(songs: usize, rate: u32) -> Self {
        Screen {
            songs,
            rate,
            meters: [Meter::default(); VOICES],
        }
    }

    /// Draws what is playing now, `passed` after the picture before.
    pub fn draw(&mut self, frame: &mut Frame, now: &Now, passed: Duration) {
        let text = now.text();
        let [title, subtitle, bar, state, _, voices, problem, help] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Min(0),
            Constraint::Length(1),
            Constraint::Length(1),
        ])
        .areas(frame.area());
        let number = format!("{}/{} ", now.song() + 1, self.songs);
        frame.render_widget(
            Line::from(vec![number.dim(), printable(&text.title).bold()]),
            title,
        );
        frame.render_widget(Paragraph::new(printable(&text.subtitle)), subtitle);
        frame.render_widget(self.bar(now), bar);
        frame.render_widget(Paragraph::new(state_of(now)), state);
        self.draw_voices(frame, voices, &text.voices, now, passed);
        if let Some(what) = &text.problem {
            frame.render_widget(Paragraph::new(printable(what)).fg(Color::Red), problem);
        }
        let keys = "space pause  n next  b back  ←→ seek  ↑↓ volume  l loop  q quit";
        frame.render_widget(Paragraph::new(keys).dim(), help);
    }

    fn bar(&self, now: &Now) -> Gauge<'static> {
        let (frame, length) = (now.frame(), now.length());
        let part = match length {
            0 => 0.0,
            length => (frame as f64 / length as f64).clamp(0.0, 1.0),
        };
        let rate = u64::from(self.rate);
        let label = format!("{} / {}", clock(frame / rate), clock(length / rate));
        Gauge::default()
            .ratio(part)
            .label(label)
            .gauge_style(Style::new().fg(Color::Blue).bg(Color::Black))
    }

    fn draw_voices(
        &mut self,
        frame: &mut Frame,
        area: Rect,
        names: &[String],
        now: &Now,
        passed: Duration,
    ) {
        let held = now.held();
        for (voice, name) in names.iter().enumerate().take(VOICES) {
            let sounds = held >> voice & 1 == 1;
            let level = self.meters[voice].after(passed.as_secs_f32(), now.strikes(voice), sounds);
            let Some(cell) = place(area, voice) else {
                continue;
            };
            let width = cell.width.saturating_sub(NAME + 1);
            let line = format!("{name:<12}{}", strip(level, width));
            let style = if sounds {
                Style::new().fg(Color::Green)
            } else {
                Style::new().fg(Color::DarkGray)
            };
            frame.render_widget(Line::styled(line, style), cell);
        }
    }
}

/// Where a voice is drawn: column after column, as far as there is room.
fn place(area: Rect, voice: usize) -> Option<Rect> {
    let row = u16::try_from(voice % usize::from(area.height.max(1))).ok()?;
    let column = u16::try_from(voice / usize::from(area.height.max(1))).ok()?;
    let left = column.checked_mul(COLUMN)?;
    let is_inside = row < area.height && left + COLUMN <= area.width;
    is_inside.then(|| Rect::new(area.x + left, area.y + row, COLUMN, 1))
}

/// A strip that fills this part of `cells`.
fn strip(level: f32, cells: u16) -> String {
    let eighths = (level.clamp(0.0, 1.0) * f32::from(cells) * 8.0).round() as usize;
    let mut strip = "█".repeat(eighths / 8);
    strip.push_str(EIGHTHS[eighths % 8]);
    strip
}

fn state_of(now: &Now) -> String {
    let mut state = format!("{:+} dB", now.volume());
    if now.paused() {
        state.push_str("  paused");
    }
    if now.looped() {
        state.push_str("  loop");
    }
    if now.underruns() > 0 {
        state.push_str(&format!("  {} gaps", now.underruns()));
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    #[test]
    fn strips_have_eighths() {
        assert_eq!(strip(0.0, 4), "");
        assert_eq!(strip(0.5, 4), "██");
        assert_eq!(strip(1.0, 4), "████");
        assert_eq!(strip(0.28, 4), "█▏");
    }

    #[test]
    fn a_picture_fits_every_terminal() {
        for (width, height) in [(80, 24), (20, 5), (1, 1), (200, 60)] {
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            let mut screen = Screen::new(3, 44_100);
            terminal
                .draw(|frame| screen.draw(frame, &Now::default(), Duration::ZERO))
                .unwrap();
        }
    }

    #[test]
    fn voices_stand_in_columns() {
        let area = Rect::new(0, 5, 80, 10);
        assert_eq!(place(area, 0), Some(Rect::new(0, 5, COLUMN, 1)));
        assert_eq!(place(area, 13), Some(Rect::new(COLUMN, 8, COLUMN, 1)));
        assert_eq!(place(area, 30), None);
        assert_eq!(place(Rect::new(0, 0, 80, 0), 0), None);
    }
}
