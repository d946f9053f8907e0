//
//  A cache of images: first memory, then disk, then the network.
//

#import "ImageCache.h"
#import "ImageLoader.h"
#import <UIKit/UIKit.h>

@import CoreGraphics;

NS_ASSUME_NONNULL_BEGIN

static NSString * const kDirectory = @"images";
static const NSUInteger kMostBytes = 32 * 1024 * 1024;

NSString * const ImageCacheDidEvictNotification = @"ImageCacheDidEvict";

typedef void (^ImageHandler)(UIImage * _Nullable image, NSError * _Nullable error);

/// Where an image came from.
typedef NS_ENUM(NSInteger, ImageSource) {
    ImageSourceMemory,
    ImageSourceDisk,
    ImageSourceNetwork,
};

/// Hears of images that leave the cache.
@protocol ImageCacheDelegate <NSObject>
@required
- (void)cache:(ImageCache *)cache didEvict:(NSString *)key;
@optional
- (BOOL)cacheShouldEvict:(ImageCache *)cache;
@end

/**
 * One image on its way.
 */
@interface ImageRequest : NSObject <NSCopying>

@property (nonatomic, copy, readonly) NSURL *address;
@property (nonatomic, assign) NSInteger tries;

- (instancetype)initWithAddress:(NSURL *)address;
- (void)cancel;

@end

@implementation ImageRequest

- (instancetype)initWithAddress:(NSURL *)address
{
    self = [super init];
    if (self) {
        _address = [address copy];
    }
    return self;
}

- (id)copyWithZone:(NSZone *)zone
{
    return [[ImageRequest alloc] initWithAddress:self.address];
}

- (void)cancel
{
    self.tries = 0;
}

@end

@interface ImageCache () {
    dispatch_queue_t _queue;
}
@property (nonatomic, strong) NSCache *memory;
@property (nonatomic, strong) ImageLoader *loader;
@end

@implementation ImageCache

+ (instancetype)sharedCache
{
    static ImageCache *shared;
    static dispatch_once_t once;
    dispatch_once(&once, ^{
        shared = [[self alloc] initWithName:kDirectory];
    });
    return shared;
}

- (instancetype)initWithName:(NSString *)name
{
    if ((self = [super init])) {
        _memory = [NSCache new];
        _memory.totalCostLimit = kMostBytes;
        _loader = [[ImageLoader alloc] init];
        _queue = dispatch_queue_create("cache", DISPATCH_QUEUE_SERIAL);
    }
    return self;
}

// Looks in memory, on disk, on the network, in this order.
- (ImageRequest *)imageAt:(NSURL *)address handler:(ImageHandler)handler
{
    ImageRequest *request = [[ImageRequest alloc] initWithAddress:address];
    UIImage *known = [self.memory objectForKey:address.absoluteString];
    if (known) {
        handler(known, nil);
        return request;
    }
    dispatch_async(_queue, ^{
        UIImage *stored = [self readImage:address];
        if (!stored) {
            [self.loader load:request done:^(NSData *data, NSError *error) {
                [self keep:[UIImage imageWithData:data] for:address];
            }];
        }
    });
    return request;
}

- (nullable UIImage *)readImage:(NSURL *)address
{
    NSString *path = PathFor(address);
    return [UIImage imageWithContentsOfFile:path];
}

- (void)keep:(UIImage *)image for:(NSURL *)address
{
    [self.memory setObject:image forKey:address.absoluteString];
    if ([self.delegate respondsToSelector:@selector(cacheShouldEvict:)]) {
        [self.delegate cacheShouldEvict:self];
    }
}

@end

@implementation ImageCache (Debugging)

- (NSString *)debugDescription
{
    return [NSString stringWithFormat:@"<%@>", [self class]];
}

@end

static NSString *PathFor(NSURL *address)
{
    NSArray<NSString *> *found = NSSearchPathForDirectoriesInDomains(NSCachesDirectory, NSUserDomainMask, YES);
    return [found.firstObject stringByAppendingPathComponent:address.lastPathComponent];
}

NS_ASSUME_NONNULL_END
