#include <vector>
#include "shape.h"

#define LIMIT 3
//      ^^^^^ constant LIMIT

namespace geometry {
//        ^^^^^^^^ module geometry

class Shape;

namespace detail::deep {
//        ^^^^^^^^^^^^ module geometry.detail.deep
inline int twice(int n) { return 2 * n; }
//         ^^^^^ function geometry.detail.deep.twice
}

using Points = std::vector<Point>;
//    ^^^^^^ type geometry.Points
typedef unsigned int Index;
//                   ^^^^^ type geometry.Index

template <typename T>
concept Sized = requires(T t) { t.size(); };
//      ^^^^^ trait geometry.Sized

enum class Color : int { Red, Green };
//         ^^^^^ enum geometry.Color
//                       ^^^ constant geometry.Color.Red
//                            ^^^^^ constant geometry.Color.Green

template <class T>
class Box : public Shape {
//    ^^^ class geometry.Box
 public:
  explicit Box(T width) : width_(width) {}
  //       ^^^ method geometry.Box.Box
  Box();
  // <- method geometry.Box.Box~fd1b
  Box(const Box&) = delete;
  // <- method geometry.Box.Box~191f
  virtual ~Box() = default;
  //      ^^^^ method geometry.Box.~Box
  virtual void draw() const = 0;
  //           ^^^^ method geometry.Box.draw
  T area() const override { return width_ * width_; }
  //^^^^ method geometry.Box.area
  static Box* make(int n);
  //          ^^^^ method geometry.Box.make
  Box& operator=(const Box& other);
  //   ^^^^^^^^^ method geometry.Box.operator=
  operator bool() const { return true; }
  // <- method geometry.Box.operator bool() const
  auto begin() -> Points::iterator;
  //   ^^^^^ method geometry.Box.begin
  template <class U> void each(U visit) { visit(*this); }
  //                      ^^^^ method geometry.Box.each
  static constexpr int kLimit = 3;
  //                   ^^^^^^ constant geometry.Box.kLimit
  struct Side { int length; };
  //     ^^^^ struct geometry.Box.Side
  using value_type = T;
  //    ^^^^^^^^^^ type geometry.Box.value_type

 private:
  friend class Painter;
  T width_ = 0;
  std::function<void(int)> callback_;
  void (*raw_)(int);
  int guarded_ GUARDED_BY(mutex_);
  void locked() EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  //   ^^^^^^ method geometry.Box.locked
};

template <>
class Box<bool> {
//    ^^^ class geometry.Box~fdd7
  void flip();
  //   ^^^^ method geometry.Box.flip
};

class GEOMETRY_EXPORT Painter final : private Shape {
//                    ^^^^^^^ class geometry.Painter
  void paint();
  //   ^^^^^ method geometry.Painter.paint
};

template <class T>
T Box<T>::side() { return width_; }
//        ^^^^ method geometry.Box.side

const std::string& Shape::name() const { return name_; }
//                        ^^^^ method geometry.Shape.name

template <class T>
void Box<T>::Side::grow(int by) { std::lock_guard<std::mutex> guard(mutex_); }
//                 ^^^^ method geometry.Box.Side.grow

Shape* clone(const Shape& shape);
//     ^^^^^ function geometry.clone
bool operator==(const Shape& a, const Shape& b);
//   ^^^^^^^^^^ function geometry.operator==
template <typename T> T& pick(T& a);
//                       ^^^^ function geometry.pick
template <class T, GEOMETRY_ENABLE_IF(is<T>())> void only(T a);
//                                                   ^^^^ function geometry.only
GEOMETRY_INLINE GEOMETRY_API void defaults(Box<int> a = {}, Box<int> b = {});
//                                ^^^^^^^^ function geometry.defaults
enum : int { kMany };
//           ^^^^^ constant geometry.kMany
typedef std::vector<Box<int>> Boxes;
//                            ^^^^^ type geometry.Boxes
static int count = 0;
//         ^^^^^ constant geometry.count

}  // namespace geometry

geometry::Painter::Painter() : Shape() {}
//                 ^^^^^^^ method geometry.Painter.Painter

GEOMETRY_API int exported(int a);
//               ^^^^^^^^ function exported

extern "C" int plain(void);
//             ^^^^^ function plain

TEST(Shapes, AreDrawn) {
//           ^^^^^^^^ method Shapes.AreDrawn
  struct Local { void run() {} };
  //     ^^^^^ struct Shapes.AreDrawn.Local
  //                  ^^^ method Shapes.AreDrawn.Local.run
  auto lambda = [](int a) { return a; };
}
