package io.despina.control.members;

import io.despina.snapshot.SnapshotStores;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import io.despina.wire.handshake.Tls;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The services of the process that the coordinator needs; a simulation provides others.
 *
 * @param clock nanoseconds, monotonic
 * @param wall  milliseconds since 1970
 * @param timer ended by its coordinator
 * @param aside runs tasks that may take seconds
 * @param ports  opens the port at which resources join
 * @param stores where jobs keep their states
 */
public record Environment(LongSupplier clock, LongSupplier wall, ScheduledExecutorService timer, Executor aside,
        Ports ports, SnapshotStores.ByAddress stores) {

    /** With the stores of this process. */
    public Environment(LongSupplier clock, LongSupplier wall, ScheduledExecutorService timer, Executor aside, Ports ports) {
        this(clock, wall, timer, aside, ports, address -> SnapshotStores.at(address, Map.of()));
    }

    /** Opens ports for control connections. */
    @FunctionalInterface
    public interface Ports {

        /**
         * @param tls    of the folder that {@code at} names; null for plain TCP
         * @param accept gives the handler of each connection that has proved the secret
         * @throws IOException if the port is in use, or the host is not an address of this machine
         */
        Port open(ControlAddress at, Tls tls, Function<ControlConnection, ControlHandler> accept) throws IOException;
    }

    /** An open port. */
    public interface Port {

        /** The port's number. */
        int number();

        /** Lets whoever comes under that name in by this secret alone, and no more by that of the port. */
        void admit(String name, String secret);

        /** Nobody comes under that name any more. */
        void forget(String name);

        /** Closes the port and its connections. */
        void close();
    }

    /** Real time, threads and sockets. */
    public static Environment ofProcess() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> daemon(task, "despina-coordinator"));
        timer.setRemoveOnCancelPolicy(true);
        // messages may come until the last connection is closed, and what they would do later nobody waits for
        timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        return new Environment(System::nanoTime, wallOfProcess(), timer,
                task -> daemon(task, "despina-aside").start(), WirePort::open);
    }

    /** The time of day of this process, in milliseconds since 1970, for who has no environment: Spark's readers and writers. */
    public static LongSupplier wallOfProcess() {
        return System::currentTimeMillis;
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
