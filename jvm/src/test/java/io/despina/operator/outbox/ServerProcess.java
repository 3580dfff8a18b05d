package io.despina.operator.outbox;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A server of somebody else's on the loopback interface, in a process that ends with the tests. */
public final class ServerProcess implements Closeable {
    private static final long PATIENCE_S = 60;
    private static final long LOOK_MS = 5;
    private static final int CONNECT_MS = 1_000;

    private final Process process;
    private final int port;

    private ServerProcess(Process process, int port) {
        this.process = process;
        this.port = port;
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    }

    /**
     * Starts it, and waits until somebody listens on its port. Skips the tests where the program is not installed.
     *
     * @param folder    where it writes
     * @param arguments by the port
     */
    public static ServerProcess start(String program, Path folder, IntFunction<List<String>> arguments) throws IOException {
        Optional<Path> found = found(program);
        Assumptions.assumeTrue(found.isPresent(), () -> "no " + program + ": make servers brings it");
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        List<String> command = new ArrayList<>(List.of(found.get().toString()));
        command.addAll(arguments.apply(port));
        Path log = folder.resolve(program + ".log");
        ServerProcess made = new ServerProcess(new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true)
                .redirectOutput(log.toFile()).start(), port);
        made.await(log);
        return made;
    }

    private static Optional<Path> found(String program) {
        return Stream.of((System.getenv("PATH") + ":/usr/sbin:/usr/local/sbin").split(":"))
                .map(folder -> Path.of(folder, program)).filter(Files::isExecutable).findFirst();
    }

    private void await(Path log) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (!answers()) {
            if (!process.isAlive() || System.nanoTime() > end) {
                close();
                throw new IOException(Files.readString(log));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_MS));
        }
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MS);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    public int port() {
        return port;
    }

    /** Ends it at once. */
    @Override
    public void close() {
        process.destroyForcibly();
    }
}
