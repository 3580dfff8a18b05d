package io.despina.spark.function;

import io.despina.control.resource.StartedFunctions;
import io.despina.operator.Reason;
import io.despina.operator.python.FunctionStarting;
import io.despina.operator.python.FunctionUpkeep;
import io.despina.python.Interpreter;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkFiles;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;

/**
 * What runs Python functions in Spark's tasks, beside Spark's own workers.
 *
 * @param command  of the Python, seen from the executor's folder, in which archives are unpacked
 * @param included names of files that the application has sent for imports, such as zips
 */
public record SparkPython(String command, List<String> included) implements Serializable {
    private static final long serialVersionUID = 1L;
    /** The run of a streaming query. */
    private static final String RUN = "spark.jobGroup.id";
    /** Of the executor, in MiB, and the cores that share it: what Spark says of them to a task. */
    private static final String MEMORY_MB = "resource.pyspark.memory";
    private static final String CORES = "resource.executor.cores";
    private static final String CORES_OF_ALL = "spark.executor.cores";
    private static final long MIB = 1 << 20;

    public SparkPython {
        included = List.copyOf(included);
    }

    /**
     * Starts processes for a function in the task of this thread. What it prints goes to the executor's standard error.
     *
     * @param operator its id
     * @param function equal for what is the same function of the same graph
     * @param asked    by the graph: the folders of its modules, and those that came with it
     */
    public FunctionStarting inTask(String operator, Object function, Interpreter asked) {
        TaskContext task = TaskContext.get();
        StartedFunctions started = new StartedFunctions(of(asked));
        String run = task.getLocalProperty(RUN);
        TaskFunctions functions = new TaskFunctions(FunctionPool.SHARED, List.of(function, this, run == null ? "" : run),
                (of, log, waker) -> started.start(of, line -> tell(operator, line), waker), memoryBytes(task));
        task.addTaskCompletionListener((TaskCompletionListener) ended -> functions.end());
        return functions;
    }

    /** Writes a line of an operator in a task. */
    public static void tell(String operator, String line) {
        System.err.println("despina: operator " + operator + ": " + Reason.visible(line));
    }

    private Interpreter of(Interpreter asked) {
        Path files = Path.of(SparkFiles.getRootDirectory()).toAbsolutePath();
        List<String> modules = new ArrayList<>(asked.modules());
        modules.add(files.toString());
        included.forEach(each -> modules.add(files.resolve(each).toString()));
        return new Interpreter(command, modules, asked.cells(), asked.sent());
    }

    /** What Spark lets its own workers have of {@code spark.executor.pyspark.memory}: the part of a core. */
    private static long memoryBytes(TaskContext task) {
        String megabytes = task.getLocalProperty(MEMORY_MB);
        String cores = task.getLocalProperty(CORES);
        return megabytes == null ? FunctionUpkeep.ANY : Long.parseLong(megabytes) * MIB
                / (cores == null ? SparkEnv.get().conf().getInt(CORES_OF_ALL, 1) : Integer.parseInt(cores));
    }
}
