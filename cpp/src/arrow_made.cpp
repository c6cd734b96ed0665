#include "suffice/arrow_made.hpp"

#include <string_view>
#include <utility>

namespace suffice {
namespace {

constexpr std::int64_t nullable = 2;  // ARROW_FLAG_NULLABLE

// Children may be taken out one by one, which leaves them without a release callback.
template <class Struct>
void release_children(Struct& parent) {
    for (std::int64_t i = 0; i < parent.n_children; ++i)
        if (parent.children[i]->release != nullptr) parent.children[i]->release(parent.children[i]);
}

template <class Held, class Struct>
void release(Struct* made) {
    release_children(*made);
    delete static_cast<Held*>(made->private_data);
    made->release = nullptr;
}

struct HeldSchema {
    std::string name;
    std::vector<ArrowSchema> children;
    std::vector<ArrowSchema*> places;
};

struct HeldArray {
    MadeColumn column;
    std::vector<const void*> buffers;
    std::vector<std::int64_t> sizes;
    std::vector<ArrowArray> children;
    std::vector<ArrowArray*> places;
};

template <class Held, class Struct>
void hold(Struct& made, std::unique_ptr<Held> held) {
    for (Struct& child : held->children) held->places.push_back(&child);
    made.n_children = static_cast<std::int64_t>(held->places.size());
    made.children = held->places.data();
    made.private_data = held.release();
    made.release = &release<Held, Struct>;
}

ArrowSchema schema_made(std::string name, const char* format, std::vector<ArrowSchema> children) {
    auto held = std::make_unique<HeldSchema>(std::move(name), std::move(children));
    ArrowSchema made{};
    made.format = format;
    made.name = held->name.c_str();
    made.flags = nullable;
    hold(made, std::move(held));
    return made;
}

ArrowArray array_made(MadeColumn column, std::vector<ArrowArray> children) {
    auto held = std::make_unique<HeldArray>();
    held->column = std::move(column);
    held->children = std::move(children);
    const MadeColumn& kept = held->column;
    held->buffers.push_back(kept.missing > 0 ? kept.valid.data() : nullptr);
    if (kept.format != std::string_view("+s")) held->buffers.push_back(kept.values.data());
    if (kept.format == std::string_view("vu")) {
        for (const std::string& text : kept.texts) {
            held->buffers.push_back(text.data());
            held->sizes.push_back(static_cast<std::int64_t>(text.size()));
        }
        held->sizes.push_back(0);  // so that there is an address
        held->buffers.push_back(held->sizes.data());
    }
    ArrowArray made{};
    made.length = static_cast<std::int64_t>(kept.rows);
    made.null_count = static_cast<std::int64_t>(kept.missing);
    made.n_buffers = static_cast<std::int64_t>(held->buffers.size());
    made.buffers = held->buffers.data();
    hold(made, std::move(held));
    return made;
}

}  // namespace

Owned<ArrowSchema> schema_of(const std::vector<MadeColumn>& columns) {
    std::vector<ArrowSchema> children;
    children.reserve(columns.size());
    for (const MadeColumn& column : columns) children.push_back(schema_made(column.name, column.format, {}));
    ArrowSchema made = schema_made("", "+s", std::move(children));
    return Owned<ArrowSchema>(made);
}

Owned<ArrowArray> array_of(std::vector<MadeColumn> columns, std::size_t rows) {
    std::vector<ArrowArray> children;
    children.reserve(columns.size());
    for (MadeColumn& column : columns) children.push_back(array_made(std::move(column), {}));
    MadeColumn all{"", "+s", rows, 0, {}, {}, {}};
    ArrowArray made = array_made(std::move(all), std::move(children));
    return Owned<ArrowArray>(made);
}

}  // namespace suffice
