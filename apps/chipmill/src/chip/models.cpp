// Chips of Yamaha's by the models of ymfm, for `ymfm.rs`.
//
// Frames are made and mixed by the batch. Some chips make a million of them for a second of sound,
// and a call from Rust for each, with one back to ask for timers that are not used here, takes as
// long as the frame.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "ymfm_misc.h"
#include "ymfm_opl.h"
#include "ymfm_opm.h"
#include "ymfm_opn.h"

namespace {

// Where a chip reads its samples, and writes them. As `Bus` in `ymfm.rs`.
struct Bus {
	void *memories;
	std::uint8_t (*read)(void *memories, std::uint32_t kind, std::uint32_t address);
	void (*write)(void *memories, std::uint32_t kind, std::uint32_t address, std::uint8_t value);
};

// The frames that are made at a time.
constexpr std::size_t BATCH = 64;

// How the outputs of a chip become left and right.

// All outputs on both sides.
struct Sum {
	template<typename Output> static void mix(const Output &output, std::int32_t *frame)
	{
		std::int32_t sum = 0;
		for (auto sample : output.data)
			sum += sample;
		frame[0] = frame[1] = sum;
	}
};

// The outputs with these numbers.
template<int Left, int Right> struct Pick {
	template<typename Output> static void mix(const Output &output, std::int32_t *frame)
	{
		frame[0] = output.data[Left];
		frame[1] = output.data[Right];
	}
};

using Stereo = Pick<0, 1>;
// On both sides.
using Mono = Pick<0, 0>;
// The others are inputs of the chip's mixer.
using FifthAndSixth = Pick<4, 5>;

// Left and right, and a third for both.
struct StereoAndBoth {
	template<typename Output> static void mix(const Output &output, std::int32_t *frame)
	{
		frame[0] = output.data[0] + output.data[2];
		frame[1] = output.data[1] + output.data[2];
	}
};

// A chip.
class ChipmillChip {
public:
	virtual ~ChipmillChip() = default;
	virtual std::uint32_t rate() const = 0;
	virtual void write(std::uint32_t port, std::uint8_t value) = 0;
	virtual void generate(std::int32_t *frames, std::size_t count) = 0;
};

template<typename Model, typename Mix>
class ChipOf final : public ChipmillChip, public ymfm::ymfm_interface {
public:
	ChipOf(std::uint32_t clock, const Bus &bus) : m_bus(bus), m_clock(clock), m_model(*this)
	{
		m_model.reset();
	}

	std::uint32_t rate() const override { return m_model.sample_rate(m_clock); }

	void write(std::uint32_t port, std::uint8_t value) override { m_model.write(port, value); }

	void generate(std::int32_t *frames, std::size_t count) override
	{
		typename Model::output_data outputs[BATCH];
		while (count > 0) {
			std::size_t now = count < BATCH ? count : BATCH;
			m_model.generate(outputs, static_cast<std::uint32_t>(now));
			for (std::size_t frame = 0; frame < now; frame++)
				Mix::mix(outputs[frame], frames + 2 * frame);
			frames += 2 * now;
			count -= now;
		}
	}

private:
	std::uint8_t ymfm_external_read(ymfm::access_class kind, std::uint32_t address) override
	{
		return m_bus.read(m_bus.memories, kind, address);
	}

	void ymfm_external_write(
		ymfm::access_class kind, std::uint32_t address, std::uint8_t value) override
	{
		m_bus.write(m_bus.memories, kind, address, value);
	}

	Bus m_bus;
	std::uint32_t m_clock;
	Model m_model;
};

template<typename Model, typename Mix>
ChipmillChip *chip(std::uint32_t clock, const Bus &bus)
{
	return new ChipOf<Model, Mix>(clock, bus);
}

// The order is that of `Model` in `ymfm.rs`.
ChipmillChip *create(std::uint32_t model, std::uint32_t clock, const Bus &bus)
{
	switch (model) {
		// The pins for melody and for rhythm, which every machine puts together.
		case 0: return chip<ymfm::ym2413, Sum>(clock, bus);
		case 1: return chip<ymfm::ym2612, Stereo>(clock, bus);
		case 2: return chip<ymfm::ym2151, Stereo>(clock, bus);
		case 3: return chip<ymfm::ym2203, Sum>(clock, bus);
		case 4: return chip<ymfm::ym2608, StereoAndBoth>(clock, bus);
		case 5: return chip<ymfm::ym2610, StereoAndBoth>(clock, bus);
		case 6: return chip<ymfm::ym2610b, StereoAndBoth>(clock, bus);
		case 7: return chip<ymfm::ym3812, Mono>(clock, bus);
		case 8: return chip<ymfm::ym3526, Mono>(clock, bus);
		case 9: return chip<ymfm::y8950, Mono>(clock, bus);
		case 10: return chip<ymfm::ymf262, Stereo>(clock, bus);
		case 11: return chip<ymfm::ymf278b, FifthAndSixth>(clock, bus);
		case 12: return chip<ymfm::ym2149, Sum>(clock, bus);
		default: std::abort();
	}
}

} // namespace

// No exception leaves these: there is no Rust code that one could go through.
extern "C" {

// Null if there is no memory for it.
ChipmillChip *chipmill_chip_new(std::uint32_t model, std::uint32_t clock, const Bus *bus) noexcept
{
	try {
		return create(model, clock, *bus);
	} catch (...) {
		return nullptr;
	}
}

void chipmill_chip_free(ChipmillChip *chip) noexcept { delete chip; }

std::uint32_t chipmill_chip_rate(const ChipmillChip *chip) noexcept { return chip->rate(); }

void chipmill_chip_write(ChipmillChip *chip, std::uint32_t port, std::uint8_t value) noexcept
{
	chip->write(port, value);
}

void chipmill_chip_generate(ChipmillChip *chip, std::int32_t *frames, std::size_t count) noexcept
{
	chip->generate(frames, count);
}

} // extern "C"
