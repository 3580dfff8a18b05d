package io.despina.operator.python;

import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.wake.Waker;
import java.io.IOException;
import java.util.function.Consumer;

/** Starts processes. */
public interface FunctionStarting {
    /** @param log takes what it prints, on any thread */
    FunctionProcess start(FunctionSpec function, Consumer<String> log, Waker waker) throws IOException;
}
