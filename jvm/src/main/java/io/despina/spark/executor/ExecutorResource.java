package io.despina.spark.executor;

import io.despina.control.process.ChildProcess;
import io.despina.control.protocol.Credentials;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.resource.PythonPolicy;
import io.despina.control.resource.ResourceAgent;
import io.despina.control.resource.ResourceSession;
import io.despina.expr.Expressions;
import io.despina.operator.Reason;
import io.despina.wire.ControlConnection;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;

/**
 * A resource on the thread of a task. It ends when its coordinator says so or is lost, and when the task is cancelled, which
 * interrupts the thread. Nothing of it is static: an executor may host several.
 */
final class ExecutorResource implements ResourceSession.Observer {
    /** Of a coordinator's refusal of one that it does not await. */
    private static final String NOT_AWAITED = "join";
    private static final long END_MILLIS = 2_000;
    /** The option with the command of Spark's own Python, seen from the executor's folder, in which archives are unpacked. */
    static final String PYTHON = "--python";

    private final Map<String, String> options;
    private final String secret;
    /** Written by the connection's thread before the session ends, read after that. */
    private volatile Refusal refused;

    ExecutorResource(Map<String, String> options, String secret) {
        this.options = options;
        this.secret = secret;
    }

    /** Until it ends; answers as {@link ResourceTask} does. */
    String serve(ResourceTask.Wanted wanted) throws InterruptedException {
        try {
            return serve(size(wanted));
        } catch (Refusal e) {
            return e.getMessage();
        } catch (RuntimeException | LinkageError fault) {
            fault.printStackTrace();
            return fault.toString();
        }
    }

    private String serve(ResourceAgent.Size size) throws InterruptedException, Refusal {
        ChildProcess.keepAnswers();
        if (options.containsKey("--expressions")) {
            Expressions.warmUp(() -> false);
        }
        String host = SparkEnv.get().blockManager().blockManagerId().host();
        PythonPolicy python = options.containsKey(PYTHON) ? PythonPolicy.by(options.get(PYTHON)) : PythonPolicy.AS_ASKED;
        ResourceAgent agent = ResourceAgent.withWire(size, new ResourceAgent.Entry(options.get("--token"), secret), host,
                Credentials.tls(options.get("--tls")), python);
        ResourceSession session = new ResourceSession(agent, System::nanoTime, this);
        TaskContext.get().addTaskCompletionListener((TaskCompletionListener) ended -> session.lose(null));
        ResourceSession.End end;
        try (ControlConnection connection = connect(agent, session)) {
            session.begin(connection, new Message.Hello(size.name(), options.get("--token"), ProcessHandle.current().pid(),
                    Message.Hello.VERSION, host, agent.dataPort(), size.memoryBytes(), size.cores()));
            end = session.serve();
        } finally {
            agent.close(END_MILLIS);
        }
        if (end == ResourceSession.End.REFUSED && refused.rule().equals(NOT_AWAITED)) {
            // Another attempt of this task is the resource. This one must not end well, or Spark would end the other.
            new CountDownLatch(1).await();
        }
        return switch (end) {
            case TOLD -> "";
            case REFUSED -> refused.getMessage();
            case LOST -> "it has lost its coordinator";
        };
    }

    private ControlConnection connect(ResourceAgent agent, ResourceSession session) throws Refusal, InterruptedException {
        String join = options.get("--join");
        int colon = join.lastIndexOf(':');
        try {
            return agent.connect(join.substring(0, colon), Integer.parseInt(join.substring(colon + 1)), session);
        } catch (IOException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            throw new Refusal("connect", "it cannot reach the driver at " + join + ": " + e.getMessage(), null);
        }
    }

    private ResourceAgent.Size size(ResourceTask.Wanted wanted) throws Refusal {
        int cpus = Math.max(1, TaskContext.get().cpuAmount().toInt());
        int cores = wanted.cores() > 0 ? wanted.cores() : cpus;
        double share = Math.min(1, (double) cpus / Math.max(1, wanted.executorCores()));
        long room = ExecutorMemory.budget(SparkEnv.get().conf(), Runtime.getRuntime().maxMemory(), cores, share);
        long memory = wanted.memoryBytes() > 0 ? wanted.memoryBytes() : room;
        if (memory > room || memory < ResourceAgent.LEAST_MEMORY) {
            throw new Refusal("memory", "it needs memory_bytes=" + Math.max(memory, ResourceAgent.LEAST_MEMORY)
                    + ", and the executor has room for " + Math.max(0, room) + " (spark.executor.memory="
                    + SparkEnv.get().conf().get("spark.executor.memory", "1g") + ", " + cpus + " of its "
                    + wanted.executorCores() + " cores)", null);
        }
        return new ResourceAgent.Size(options.get("--name"), cores, memory);
    }

    @Override
    public void says(String words) {
        // Spark's UI shows that it runs
    }

    @Override
    public void refused(Refusal why) {
        refused = why;
    }

    @Override
    public void lost(String why) {
        if (why != null) {
            System.err.println("despina: " + Reason.visible(why));
        }
    }
}
