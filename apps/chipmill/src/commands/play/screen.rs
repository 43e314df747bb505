//! The picture in the terminal.

use std::time::Duration;

use chipmill::player::{Meter, Now, Text, VOICES};
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
/// The cells of a voice, from the picture of a machine with a few voices to that of one with
/// hundreds: with its name, or without it if that leaves too little for its strip.
const COLUMNS: [u16; 6] = [26, 20, 16, 8, 4, 2];
/// The cells that a strip has at least beside a name.
const STRIP: u16 = 3;

/// The picture, and what moves in it.
pub struct Screen {
    songs: usize,
    rate: u32,
    meters: [Meter; VOICES],
    text: Text,
    /// The number of the text.
    seen: u64,
}

impl Screen {
    /// A picture for a list of `songs`, and frames of this rate.
    pub fn new(songs: usize, rate: u32) -> Self {
        Screen {
            songs,
            rate,
            meters: [Meter::default(); VOICES],
            text: Text::default(),
            seen: 0,
        }
    }

    /// Draws what is playing now, `passed` after the picture before.
    pub fn draw(&mut self, frame: &mut Frame, now: &Now, passed: Duration) {
        if let Some(text) = now.new_text(&mut self.seen) {
            self.text = text;
        }
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
        let text = &self.text;
        let number = format!("{}/{} ", now.song() + 1, self.songs);
        frame.render_widget(
            Line::from(vec![number.dim(), printable(&text.title).bold()]),
            title,
        );
        frame.render_widget(Paragraph::new(printable(&text.subtitle)), subtitle);
        frame.render_widget(self.bar(now), bar);
        frame.render_widget(Paragraph::new(state_of(now)), state);
        draw_voices(frame, voices, &text.voices, &mut self.meters, now, passed);
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
}

fn draw_voices(
    frame: &mut Frame,
    area: Rect,
    names: &[String],
    meters: &mut [Meter; VOICES],
    now: &Now,
    passed: Duration,
) {
    let column = column(area, names.len());
    for (voice, (name, meter)) in names.iter().zip(meters).enumerate() {
        let (strikes, held) = now.strikes_and_held(voice);
        let level = meter.after(passed.as_secs_f32(), strikes, held);
        let Some(cell) = place(area, column, voice) else {
            continue;
        };
        let line = match cell.width.checked_sub(NAME + 1) {
            Some(width) if width >= STRIP => format!("{name:<12}{}", strip(level, width)),
            _ => strip(level, cell.width - 1),
        };
        let style = if held {
            Style::new().fg(Color::Green)
        } else {
            Style::new().fg(Color::DarkGray)
        };
        frame.render_widget(Line::styled(line, style), cell);
    }
}

/// The widest cells of a voice with which there is room for all of them, or else the narrowest.
fn column(area: Rect, voices: usize) -> u16 {
    let has_room = |&column: &u16| {
        let columns = usize::from(area.width / column);
        columns * usize::from(area.height) >= voices
    };
    COLUMNS
        .into_iter()
        .find(has_room)
        .unwrap_or(COLUMNS[COLUMNS.len() - 1])
}

/// Where a voice is drawn: column after column, as far as there is room.
fn place(area: Rect, width: u16, voice: usize) -> Option<Rect> {
    let row = u16::try_from(voice % usize::from(area.height.max(1))).ok()?;
    let column = u16::try_from(voice / usize::from(area.height.max(1))).ok()?;
    let left = column.checked_mul(width)?;
    let is_inside = row < area.height && left + width <= area.width;
    is_inside.then(|| Rect::new(area.x + left, area.y + row, width, 1))
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
        assert_eq!(place(area, 26, 0), Some(Rect::new(0, 5, 26, 1)));
        assert_eq!(place(area, 26, 13), Some(Rect::new(26, 8, 26, 1)));
        assert_eq!(place(area, 26, 30), None);
        assert_eq!(place(Rect::new(0, 0, 80, 0), 26, 0), None);
    }

    /// In a terminal of 80 x 24, seven rows are for other things.
    #[test]
    fn every_voice_has_a_place() {
        let area = Rect::new(0, 5, 80, 17);
        for (voices, width) in [(1, 26), (51, 26), (52, 20), (68, 20), (94, 8), (400, 2)] {
            assert_eq!(column(area, voices), width, "{voices}");
            assert!(place(area, width, voices - 1).is_some(), "{voices}");
        }
        assert!(place(area, column(area, VOICES), VOICES - 1).is_some());
        assert_eq!(column(Rect::new(0, 0, 1, 1), 9), 2);
    }
}
