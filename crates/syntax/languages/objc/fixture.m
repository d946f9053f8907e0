#import "Shape.h"
#import <Foundation/Foundation.h>
@import UIKit;

@class Painter;

NS_ASSUME_NONNULL_BEGIN

#define LIMIT 3
//      ^^^^^ constant LIMIT

typedef void (^Completion)(NSError *error);
//             ^^^^^^^^^^ type Completion

typedef NS_ENUM(NSInteger, Color) {
//                         ^^^^^ enum Color
    ColorRed,
    // <- constant Color.ColorRed
    ColorBlue = 2,
    // <- constant Color.ColorBlue
};

extern NSString *const ShapeDidChange;
//                     ^^^^^^^^^^^^^^ constant ShapeDidChange

struct Extent { int width; };
//     ^^^^^^ struct Extent

@protocol Drawing <NSObject>
//        ^^^^^^^ interface Drawing
@property (nonatomic, copy) NSString *title;
//                                    ^^^^^ field Drawing.title
- (void)drawIn:(CGRect)rect with:(Painter *)painter;
//      ^^^^^^ method Drawing.drawIn
@optional
+ (instancetype)shared;
//              ^^^^^^ method Drawing.shared
@end

@protocol Empty
//        ^^^^^ interface Empty
@end

@interface Shape : NSObject <Drawing> {
//         ^^^^^ class Shape
    int _sides;
}
@property (nonatomic, strong, nullable) NSArray<Painter *> *painters;
//                                                          ^^^^^^^^ field Shape.painters
- (instancetype)initWithSides:(int)sides name:(NSString *)name NS_DESIGNATED_INITIALIZER;
//              ^^^^^^^^^^^^^ method Shape.initWithSides
@end

@interface Shape (Colors)
- (Color)color;
//       ^^^^^ method Shape.color
@end

@interface Shape ()
@property BOOL hidden;
//             ^^^^^^ field Shape.hidden
@end

@implementation Circle
@synthesize radius = _radius;

- (double)area {
//        ^^^^ method Circle.area
    NSString *local = @"area";
    return 3.14 * _radius * _radius;
}

+ (void)load {}
//      ^^^^ method Circle.load
@end

static int helper(int a) { return a; }
//         ^^^^^^ function helper

NS_ASSUME_NONNULL_END
