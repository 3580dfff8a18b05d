package io.despina.spark.executor;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.function.FlatMapFunction;

/**
 * What travels to an executor: all that makes its task a resource, the job secret included. Answers one text: empty if the
 * resource was told to end, else why it has ended. A failure is answered too, and not thrown, because Spark would start the task
 * again.
 */
final class ResourceTask implements FlatMapFunction<Iterator<Integer>, String> {
    private static final long serialVersionUID = 1L;

    private final HashMap<String, String> options;
    private final String secret;
    private final Wanted wanted;

    /**
     * What the resource is to have.
     *
     * @param memoryBytes   0 for what the executor has room for
     * @param cores         0 for those of the task
     * @param executorCores of the executor, by which resources share its memory
     */
    record Wanted(long memoryBytes, int cores, int executorCores) implements java.io.Serializable {
    }

    /** @param options the arguments of a resource's JVM, by name */
    ResourceTask(Map<String, String> options, String secret, Wanted wanted) {
        this.options = new HashMap<>(options);
        this.secret = secret;
        this.wanted = wanted;
    }

    @Override
    public Iterator<String> call(Iterator<Integer> nothing) throws InterruptedException {
        return List.of(new ExecutorResource(options, secret).serve(wanted)).iterator();
    }
}
