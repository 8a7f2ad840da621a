// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/frame_says.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

Frame python(const std::string& function, const std::string& file) {
    Frame frame;
    frame.kind = FrameKind::python;
    frame.function = function;
    frame.file = file;
    return frame;
}

TrainingCode code_of(const Frame& frame, const ModuleClasses& classes = {}) {
    return look_at(frame, classes).code;
}

}  // namespace

TEST_CASE("frame_says: files and functions of PyTorch tell what they do") {
    CHECK(code_of(python("Adam.step", torch_path + "/optim/adam.py")) == TrainingCode::optimiser);
    CHECK(code_of(python("LRScheduler.step", torch_path + "/optim/lr_scheduler.py")) ==
          TrainingCode::other);
    CHECK(code_of(python("Module._apply", torch_path + "/nn/modules/module.py")) ==
          TrainingCode::move);
    CHECK(code_of(python("Module.train", torch_path + "/nn/modules/module.py")) ==
          TrainingCode::none);
    CHECK(code_of(python("Net.forward", "/home/me/net.py")) == TrainingCode::forward);
    CHECK(code_of(python("forward", "/home/me/net.py")) == TrainingCode::forward);
}

TEST_CASE("frame_says: __init__ makes a module if its class goes forward") {
    Symbols symbols;
    symbols.frames = {python("Net.forward", "/home/me/net.py")};
    const ModuleClasses classes = module_classes(symbols);
    CHECK(code_of(python("Net.__init__", "/home/me/net.py"), classes) == TrainingCode::user_module);
    CHECK(code_of(python("Net.__init__", "/home/me/other.py"), classes) == TrainingCode::none);
    CHECK(code_of(python("Data.__init__", "/home/me/net.py"), classes) == TrainingCode::none);
}

TEST_CASE("frame_says: of a stack, the innermost known function counts, and facts of any frame") {
    const auto says = [](const Frame& frame) { return StackSays(look_at(frame, {})); };
    Frame engine_frame;
    engine_frame.kind = FrameKind::backward;
    StackSays stack = says(python("f", "/home/me/f.py"));
    stack.add_caller(says(python("Net.forward", "/home/me/net.py")));
    stack.add_caller(says(engine_frame));
    CHECK(stack.code == TrainingCode::forward);
    CHECK(stack.has(StackSays::in_backward));
    CHECK(stack.has(StackSays::python));
    CHECK_FALSE(stack.has(StackSays::tensor));
}

TEST_CASE(
    "frame_says: what an optimiser's step calls to get the loss is no work of the optimiser") {
    const std::string adam = torch_path + "/optim/adam.py", lbfgs = torch_path + "/optim/lbfgs.py",
                      base = torch_path + "/optim/optimizer.py",
                      wrapper = torch_path + "/utils/_contextlib.py";
    const auto code = [](const std::vector<std::pair<std::string, std::string>>& functions) {
        StackSays stack;
        for (const auto& [function, file] : functions)
            stack.add_caller(StackSays(look_at(python(function, file), {})));
        return stack.code;
    };
    CHECK(code({{"_multi_tensor_adam", adam}, {"Adam.step", adam}}) == TrainingCode::optimiser);
    CHECK(code({{"_foreach", torch_path + "/utils/_foreach_utils.py"}, {"Adam.step", adam}}) ==
          TrainingCode::optimiser);
    CHECK(code({{"Net.training_step", "/home/me/net.py"},
                {"Closure.closure", "/v/lib/python3.11/site-packages/lightning/automatic.py"},
                {"Adam.step", adam},
                {"profile_hook_step.wrapper", base}}) == TrainingCode::closure);
    CHECK(code({{"loss_of", "/home/me/net.py"},
                {"decorate_context", wrapper},
                {"LBFGS._directional_evaluate", lbfgs},
                {"LBFGS.step", lbfgs}}) == TrainingCode::closure);
    CHECK(code({{"Net.forward", "/home/me/net.py"}, {"f", "/home/me/f.py"}, {"Adam.step", adam}}) ==
          TrainingCode::forward);
    // An optimiser of the user's own is called by PyTorch's base class.
    CHECK(code({{"Lion.step", "/home/me/lion.py"}, {"profile_hook_step.wrapper", base}}) ==
          TrainingCode::optimiser);
    CHECK(code({{"loss_of", "/home/me/net.py"},
                {"closure", "/home/me/train.py"},
                {"Lion.step", "/home/me/lion.py"},
                {"profile_hook_step.wrapper", base}}) == TrainingCode::closure);
}

TEST_CASE("frame_says: a method has a class since Python 3.11") {
    CHECK(method_of(python("Block.forward", "")).owner == "Block");
    CHECK(method_of(python("Block.forward", "")).name == "forward");
    CHECK(method_of(python("forward", "")).owner.empty());
    CHECK(method_of(python("make.<locals>.Block.forward", "")).owner == "make.<locals>.Block");
}

TEST_CASE("frame_says: tensors lie in blocks of the heap, and in mappings that processes share") {
    const auto allocates = [](const std::string& function) {
        Frame frame;
        frame.function = function;
        return look_at(frame, {}).allocates_tensor;
    };
    CHECK(allocates("c10::alloc_cpu(unsigned long)"));
    CHECK(
        allocates("at::MapAllocator::MapAllocator(at::WithFd, std::basic_string_view<char>, "
                  "int, int, unsigned long)"));
    CHECK_FALSE(allocates("at::MapAllocator::close()"));
    CHECK_FALSE(allocates("malloc"));
}

TEST_CASE("frame_says: a module is made on a line with nn.Parameter, and not in its expression") {
    FrameSays line;
    line.makes_parameter = true;
    FrameSays init;
    init.code = TrainingCode::user_module;
    StackSays plain, of_module{init};
    plain.add_caller(StackSays(line));
    of_module.add_caller(StackSays(line));
    CHECK(plain.has(StackSays::parameter));
    CHECK_FALSE(of_module.has(StackSays::parameter));
}
