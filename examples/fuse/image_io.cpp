#include "image_io.hpp"

#include "problem.hpp"

#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include <jpeglib.h>
#include <png.h>

namespace fuse {
namespace {

static_assert(sizeof(cutsdf::rgb8) == 3, "a row of rgb8 is a row of an 8-bit RGB image");

using bytes = std::vector<unsigned char>;

// Far beyond any depth sensor; keeps a damaged header from asking for terabytes.
constexpr unsigned largest_side = 1u << 14;

bytes read_file(const std::filesystem::path& file)
{
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) { throw problem(file, "no such file"); }
  if (!std::filesystem::is_regular_file(file, ignored)) { throw problem(file, "is not a file"); }
  std::ifstream stream(file, std::ios::binary);
  bytes content{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) { throw problem(file, "cannot be read"); }
  return content;
}

/// Calls `step` so that an error inside libpng or libjpeg, which reports by jumping to `target`, comes back as false.
/// The jump runs no destructors, so `step` and what it calls must own nothing.
template <class Step>
bool completes(std::jmp_buf& target, const Step& step)
{
  if (setjmp(target) != 0) { return false; }
  step();
  return true;
}

// ---- PNG ------------------------------------------------------------------------------------------------------------

/// libpng's state for one file in memory.
class png_decoder {
 public:
  explicit png_decoder(std::span<const unsigned char> content) : content_(content)
  {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png_ != nullptr) { info_ = png_create_info_struct(png_); }
    if (info_ == nullptr) { throw std::bad_alloc(); }
    png_set_read_fn(png_, this, on_read);
    png_set_user_limits(png_, largest_side, largest_side);
  }
  png_decoder(const png_decoder&)            = delete;
  png_decoder& operator=(const png_decoder&) = delete;
  ~png_decoder() { png_destroy_read_struct(&png_, &info_, nullptr); }

  bool read_header()
  {
    return completes(jump_, [this] { png_read_info(png_, info_); });
  }
  /// Decodes everything to the end of the file, 16-bit values in the machine's byte order.
  bool read_rows(png_bytep* rows)
  {
    return completes(jump_, [this, rows] {
      if constexpr (std::endian::native == std::endian::little) { png_set_swap(png_); }
      png_set_interlace_handling(png_);
      png_read_update_info(png_, info_);
      png_read_image(png_, rows);
      png_read_end(png_, nullptr);
    });
  }

  [[nodiscard]] int width() const { return static_cast<int>(png_get_image_width(png_, info_)); }
  [[nodiscard]] int height() const { return static_cast<int>(png_get_image_height(png_, info_)); }
  [[nodiscard]] int bit_depth() const { return png_get_bit_depth(png_, info_); }
  [[nodiscard]] bool grey() const { return png_get_color_type(png_, info_) == PNG_COLOR_TYPE_GRAY; }
  [[nodiscard]] std::string message() const { return message_; }

 private:
  [[noreturn]] static void on_error(png_structp png, png_const_charp message)
  {
    auto& self = *static_cast<png_decoder*>(png_get_error_ptr(png));
    std::snprintf(self.message_, sizeof self.message_, "%s", message);
    std::longjmp(self.jump_, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}  // odd metadata; the pixels are sound

  static void on_read(png_structp png, png_bytep to, std::size_t count)
  {
    auto& self = *static_cast<png_decoder*>(png_get_io_ptr(png));
    if (count > self.content_.size()) { png_error(png, "the file ends early"); }
    std::memcpy(to, self.content_.data(), count);
    self.content_ = self.content_.subspan(count);
  }

  std::span<const unsigned char> content_;  // what has not been read yet
  png_structp png_{nullptr};
  png_infop info_{nullptr};
  std::jmp_buf jump_{};
  char message_[128]{};
};

problem unreadable(const std::filesystem::path& file, const char* format, const std::string& message)
{
  return {file, std::string("is not a readable ") + format + " image: " + message};
}

color_image read_color_png(const std::filesystem::path& file)
{
  const bytes content = read_file(file);
  png_image control{};
  control.version = PNG_IMAGE_VERSION;
  color_image picture;
  if (png_image_begin_read_from_memory(&control, content.data(), content.size()) != 0) {
    control.format = PNG_FORMAT_RGB;
    if (control.width > largest_side || control.height > largest_side) {
      png_image_free(&control);
      throw unreadable(file, "PNG", "it is larger than " + std::to_string(largest_side) + " pixels");
    }
    picture = {static_cast<int>(control.width), static_cast<int>(control.height), {}};
    picture.pixels.resize(std::size_t{control.width} * control.height);
    png_image_finish_read(&control, nullptr, picture.pixels.data(), 0, nullptr);
  }
  if (PNG_IMAGE_FAILED(control)) { throw unreadable(file, "PNG", control.message); }
  return picture;
}

// ---- JPEG -----------------------------------------------------------------------------------------------------------

/// libjpeg's state for one file in memory.
class jpeg_decoder {
 public:
  explicit jpeg_decoder(const bytes& content) : content_(&content)
  {
    state_.err           = jpeg_std_error(&errors_);
    errors_.error_exit   = on_error;
    errors_.emit_message = on_message;
    state_.client_data   = this;
    created_             = completes(jump_, [this] { jpeg_create_decompress(&state_); });
  }
  jpeg_decoder(const jpeg_decoder&)            = delete;
  jpeg_decoder& operator=(const jpeg_decoder&) = delete;
  ~jpeg_decoder()
  {
    if (created_) { jpeg_destroy_decompress(&state_); }
  }

  bool read_header()
  {
    return created_ && completes(jump_, [this] {
             jpeg_mem_src(&state_, content_->data(), static_cast<unsigned long>(content_->size()));
             jpeg_read_header(&state_, TRUE);
             state_.out_color_space = JCS_RGB;
             jpeg_calc_output_dimensions(&state_);
           });
  }
  bool read_rows(cutsdf::rgb8* pixels)
  {
    return completes(jump_, [this, pixels] {
      jpeg_start_decompress(&state_);
      while (state_.output_scanline < state_.output_height) {
        auto* row = reinterpret_cast<JSAMPROW>(pixels + std::size_t{state_.output_scanline} * state_.output_width);
        jpeg_read_scanlines(&state_, &row, 1);
      }
      jpeg_finish_decompress(&state_);
    });
  }

  [[nodiscard]] int width() const { return static_cast<int>(state_.output_width); }
  [[nodiscard]] int height() const { return static_cast<int>(state_.output_height); }
  [[nodiscard]] std::string message() const { return message_; }

 private:
  static jpeg_decoder& self(j_common_ptr state) { return *static_cast<jpeg_decoder*>(state->client_data); }

  [[noreturn]] static void on_error(j_common_ptr state)
  {
    (*state->err->format_message)(state, self(state).message_);
    std::longjmp(self(state).jump_, 1);
  }
  static void on_message(j_common_ptr state, int level)
  {
    // Negative: corrupt data that libjpeg would paper over, such as a grey lower half for a file that ends early.
    if (level < 0) { on_error(state); }
  }

  const bytes* content_;
  jpeg_decompress_struct state_{};
  jpeg_error_mgr errors_{};
  std::jmp_buf jump_{};
  char message_[JMSG_LENGTH_MAX]{};
  bool created_{false};
};

color_image read_color_jpeg(const std::filesystem::path& file)
{
  const bytes content = read_file(file);
  jpeg_decoder decoder(content);
  if (!decoder.read_header()) { throw unreadable(file, "JPEG", decoder.message()); }
  color_image picture{decoder.width(), decoder.height(), {}};
  picture.pixels.resize(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height));
  if (!decoder.read_rows(picture.pixels.data())) { throw unreadable(file, "JPEG", decoder.message()); }
  return picture;
}

}  // namespace

depth_image read_depth_png(const std::filesystem::path& file)
{
  const bytes content = read_file(file);
  png_decoder decoder(content);
  if (!decoder.read_header()) { throw unreadable(file, "PNG", decoder.message()); }
  if (!decoder.grey() || decoder.bit_depth() != 16) {
    throw problem(file, "a depth image has one channel of 16 bits, this one has " +
                          (decoder.grey() ? std::string("one") : std::string("more")) + " of " +
                          std::to_string(decoder.bit_depth()));
  }
  depth_image depth{decoder.width(), decoder.height(), {}};
  depth.pixels.resize(static_cast<std::size_t>(depth.width) * static_cast<std::size_t>(depth.height));
  std::vector<png_bytep> rows(static_cast<std::size_t>(depth.height));
  for (std::size_t y = 0; y < rows.size(); ++y) {
    rows[y] = reinterpret_cast<png_bytep>(depth.pixels.data() + y * static_cast<std::size_t>(depth.width));
  }
  if (!decoder.read_rows(rows.data())) { throw unreadable(file, "PNG", decoder.message()); }
  return depth;
}

color_image read_color(const std::filesystem::path& file)
{
  return file.extension() == ".png" ? read_color_png(file) : read_color_jpeg(file);
}

void write_png(const std::filesystem::path& file, const color_image& picture)
{
  png_image control{};
  control.version = PNG_IMAGE_VERSION;
  control.width   = static_cast<png_uint_32>(picture.width);
  control.height  = static_cast<png_uint_32>(picture.height);
  control.format  = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&control, file.c_str(), 0, picture.pixels.data(), 0, nullptr) == 0) {
    throw problem(file, std::string("cannot be written: ") + control.message);
  }
}

}  // namespace fuse
