#include "workloads.hpp"

#include <memory>

#include <oneapi/tbb/parallel_invoke.h>

namespace lab {
namespace {

struct Node {
    std::int64_t value;
    std::unique_ptr<Node> left, right;
};

// The balanced tree of low to high, parents before children.
std::unique_ptr<Node> build(std::int64_t low, std::int64_t high) {
    if (low > high) {
        return nullptr;
    }
    const std::int64_t middle = low + (high - low) / 2;
    auto node = std::make_unique<Node>();
    node->value = middle;
    node->left = build(low, middle - 1);
    node->right = build(middle + 1, high);
    return node;
}

// The sum of a subtree, forking at each node that has two children. All forks of an operation share
// a context; without one, parallel_invoke would make and destroy one for each fork.
std::int64_t sum(const Node &node, oneapi::tbb::task_group_context &context) {
    if (node.left && node.right) {
        std::int64_t left = 0, right = 0;
        oneapi::tbb::parallel_invoke([&] { left = sum(*node.left, context); },
                                     [&] { right = sum(*node.right, context); }, context);
        return node.value + left + right;
    }
    if (node.left) {
        return node.value + sum(*node.left, context);
    }
    if (node.right) {
        return node.value + sum(*node.right, context);
    }
    return node.value;
}

} // namespace

void tree_sum(Session &session, std::int64_t size) {
    // The process ends soon; taking a large tree apart would only take time.
    const Node *const root = build(1, size).release();
    session.sample(size, size * (size + 1) / 2, [root] {
        oneapi::tbb::task_group_context context;
        return sum(*root, context);
    });
}

} // namespace lab
