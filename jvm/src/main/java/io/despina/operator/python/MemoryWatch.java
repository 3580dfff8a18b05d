package io.despina.operator.python;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.OperatorContext;
import java.nio.file.Files;
import java.nio.file.Path;

/** Looks at the memory of processes: ends those that have far too much, and has those that have too much leave. */
final class MemoryWatch {
    /** So often their memory is looked at while they have something to do. */
    private static final long LOOK_NANOS = 200_000_000;
    /** One that uses more than this part of {@code memory_bytes} is killed, whatever it does. */
    private static final double HARD = 1.25;
    private static final long MIB = 1 << 20;

    private final String names;
    private final FunctionUpkeep options;
    private final OperatorContext context;
    private final boolean isOn;
    private long nextLook;

    /** @param names of the functions, for messages */
    MemoryWatch(String names, FunctionUpkeep options, OperatorContext context) {
        this.names = names;
        this.options = options;
        this.context = context;
        isOn = options.memoryBytes() != FunctionUpkeep.ANY;
    }

    /** Processes are started. */
    void begin() {
        if (isOn && !Files.exists(Path.of("/proc/self/status"))) {
            context.warn("`memory_bytes` of " + names + " is not watched: this system has no /proc");
        }
    }

    /** Looks at them, if it is time to. A file of /proc is read, which waits for nothing. */
    void look(long now, FunctionWorker[] workers) {
        if (isOn && now >= nextLook) {
            nextLook = now + LOOK_NANOS;
            for (FunctionWorker each : workers) {
                look(each);
            }
        }
    }

    void look(FunctionWorker one) {
        if (!isOn || !one.isOpen() || one.isKilled()) {
            return;
        }
        long bytes = one.process().memoryBytes();
        long most = options.memoryBytes();
        String said = "uses " + bytes / MIB + " MiB, more than memory_bytes=" + most + " (" + most / MIB + " MiB)";
        if (bytes > most && !one.isUsed() && one.isIdle()) {
            throw new IllegalStateException("a worker of " + names + " " + said
                    + " when it has opened the function: let memory_bytes be greater than what it needs for that");
        } else if (bytes > HARD * most) {
            context.count("memory_kills", 1);
            one.kill(said + " by a quarter");
        } else if (bytes > most && !one.isLeaving()) {
            one.leave();
            context.warn("a worker of " + names + " " + said + "; another takes its place between two batches");
        }
    }

    /** When they are to be looked at while they have something to do; never if they are not. */
    long due() {
        return isOn ? nextLook : NEVER;
    }
}
