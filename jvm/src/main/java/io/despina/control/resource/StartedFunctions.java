package io.despina.control.resource;

import io.despina.operator.OpeningException;
import io.despina.operator.python.FunctionStarting;
import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.python.InstancePlace;
import io.despina.python.Interpreter;
import io.despina.python.NoInterpreterException;
import io.despina.python.PythonWorker;
import io.despina.wake.Waker;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Starts processes for the functions of a job. The first of each instance tells which modules are others than where the graph was
 * submitted: those after it may have been changed on purpose.
 */
public final class StartedFunctions implements FunctionStarting {
    private final Interpreter python;
    private final Set<InstancePlace> told = ConcurrentHashMap.newKeySet();

    public StartedFunctions(Interpreter python) {
        this.python = python;
    }

    @Override
    public FunctionProcess start(FunctionSpec function, Consumer<String> log, Waker waker) throws IOException {
        boolean isFirst = told.add(function.user().place());
        try {
            return PythonWorker.start(isFirst ? python : python.with(python.sent().untold()), function, log, waker);
        } catch (NoInterpreterException lasting) {
            throw new OpeningException(lasting.getMessage(), lasting);
        }
    }
}
