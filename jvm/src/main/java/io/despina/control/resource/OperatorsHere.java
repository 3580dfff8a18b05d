package io.despina.control.resource;

import io.despina.control.assembly.JobPlan;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.expr.Compiled;
import io.despina.operator.python.FunctionStarting;
import io.despina.plan.PlannedOperator;
import io.despina.runtime.task.TaskFailedException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** What the operators of a job need before their tasks start in a resource. */
final class OperatorsHere {
    private OperatorsHere() {
    }

    /** Compiles before tasks start: their threads also serve connections, and must not be blocked for seconds. */
    static void compile(JobPlan planned, String resource) {
        of(planned, resource).forEach(OperatorsHere::compile);
    }

    /** The operators whose tasks run there, and the parts that do. */
    private static Stream<PlannedOperator> of(JobPlan planned, String resource) {
        return planned.assignment().tasksOf(resource).stream()
                .flatMap(task -> planned.assignment().chains().get(task.chain()).operators().stream())
                .flatMap(id -> Stream.concat(Stream.of(id), planned.plan().partBehind(id).stream())).distinct()
                .map(planned.plan()::operator);
    }

    /** Starts processes for the Python functions of operators there; null if there are none. */
    static FunctionStarting functions(JobPlan planned, Message.Deploy deploy, String resource, PythonPolicy python)
            throws Refusal {
        List<String> names = of(planned, resource).map(each -> each.spec().pythonFunction()).filter(Objects::nonNull).toList();
        return names.isEmpty() ? null : new StartedFunctions(
                python.choose(deploy.python(), planned.ownCode(resource).python(), names, resource));
    }

    /** Spark evaluates some constants only here, and may refuse them. */
    static void compile(PlannedOperator operator) {
        try {
            operator.spec().code().stream().filter(Objects::nonNull).forEach(Compiled::prepare);
        } catch (Exception e) {
            throw new TaskFailedException(operator.id(), 0, e);
        }
    }
}
