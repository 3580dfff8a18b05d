package io.despina.control.process;

import io.despina.control.protocol.Refusal;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Looks for the coordinator at the addresses where it may be. A process that is held up, or a machine that is gone, neither
 * answers nor refuses: where there is another address, that is tried meanwhile.
 */
final class Dialing {
    /** How long one of several addresses may take: no less than the network gives it. */
    static final long EACH_MILLIS = 20_000;
    /** The same while jobs wait: their resource has done handshakes before, which take it milliseconds. */
    static final long HURRIED_MILLIS = 2_000;

    private final Dial dial;
    private final long eachMillis;

    /** Connects, and waits for as long as the network does. */
    @FunctionalInterface
    interface Dial {
        ControlConnection connect(String host, int port, ControlHandler handler) throws IOException;
    }

    Dialing(Dial dial, long eachMillis) {
        this.dial = dial;
        this.eachMillis = eachMillis;
    }

    /**
     * To the first at which there is one.
     *
     * @param addresses {@code HOST:PORT[,HOST:PORT]}
     * @throws Refusal why there is none at the last
     */
    ControlConnection first(String addresses, ControlHandler handler) throws Refusal, InterruptedException {
        String[] all = addresses.split(",");
        Refusal nobody = null;
        for (String each : all) {
            try {
                return all.length == 1 ? connect(each, handler) : inTime(each, handler);
            } catch (IOException e) {
                nobody = new Refusal("connect", "cannot join the coordinator at " + each + ": " + e.getMessage(),
                        "check that it runs and listens there (control_port in the deployment), has the same secret, and has"
                                + " --tls if this resource has it, and only then");
            }
        }
        throw nobody;
    }

    private ControlConnection connect(String address, ControlHandler handler) throws IOException {
        int colon = address.lastIndexOf(':');
        return dial.connect(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)), handler);
    }

    private ControlConnection inTime(String address, ControlHandler handler) throws IOException, InterruptedException {
        CompletableFuture<ControlConnection> found = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                ControlConnection connection = connect(address, new Wanted(handler, found));
                if (!found.complete(connection)) {
                    connection.close();
                }
            } catch (IOException | RuntimeException e) {
                found.completeExceptionally(e);
            }
        }, "despina-dial");
        thread.setDaemon(true);
        thread.start();
        try {
            return found.get(eachMillis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        } catch (TimeoutException e) {
            if (found.cancel(false) || found.isCompletedExceptionally()) {
                throw new IOException("no answer", e);
            }
            return found.join();        // it has come just now
        } catch (InterruptedException e) {
            found.cancel(false);
            throw e;
        }
    }

    /** Hears nothing of a connection that came too late. */
    private record Wanted(ControlHandler handler, CompletableFuture<ControlConnection> found) implements ControlHandler {
        @Override
        public void message(byte[] json) {
            if (!found.isCancelled()) {
                handler.message(json);
            }
        }

        @Override
        public void closed(String reason) {
            if (!found.isCancelled()) {
                handler.closed(reason);
            }
        }
    }
}
