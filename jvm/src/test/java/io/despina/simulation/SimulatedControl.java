package io.despina.simulation;

import io.despina.control.members.ControlAddress;
import io.despina.control.members.Environment;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import io.despina.wire.handshake.Tls;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Control connections as memory: what either side says arrives in its order, later, much later, or, once the connection is cut,
 * never. Whoever is frozen hears when it is thawed.
 */
final class SimulatedControl implements Environment.Ports {
    private static final long USUAL_DELAY = 200_000;
    private static final long LONG_DELAY = 60_000_000;
    private static final int LONG_ONE_IN = 40;
    private static final int FIRST_PORT = 40_000;

    private final SimulatedTime time;
    private final Random random;
    private final Map<Integer, Function<ControlConnection, ControlHandler>> open = new HashMap<>();
    private int ports = FIRST_PORT;

    SimulatedControl(SimulatedTime time, Random random) {
        this.time = time;
        this.random = random;
    }

    /** One connection, as both sides have it. */
    final class Connection {
        private final Side resource = new Side();
        private final Side coordinator = new Side();
        private boolean cut;

        private Connection() {
            resource.other = coordinator;
            coordinator.other = resource;
        }

        ControlConnection resourceEnd() {
            return resource;
        }

        /** Nothing arrives any more, on either side, and nobody is told. */
        void cut() {
            cut = true;
        }

        /** What the resource says, or what it is told, arrives when that time has passed. */
        void stall(boolean fromResource, long nanos) {
            Side side = fromResource ? coordinator : resource;
            side.stalledUntil = Math.max(side.stalledUntil, time.now() + nanos);
        }

        /** Its resource has gone, as a process that was killed: the other side is told. */
        void die() {
            resource.gone = true;
            resource.other.hear(resource.other::closed);
        }

        /** One end: what it sends, and what it hears. */
        private final class Side implements ControlConnection {
            private final ArrayDeque<Runnable> coming = new ArrayDeque<>();
            private Side other;
            private ControlHandler handler;
            private BooleanSupplier listens = () -> true;
            private long lastArrival;
            private long stalledUntil;
            private boolean over;
            private boolean gone;

            @Override
            public void send(byte[] json) {
                if (!over && !gone) {
                    other.hear(() -> other.handler.message(json));
                }
            }

            @Override
            public void sendInTurn(byte[] json) {
                send(json);
            }

            /** Whatever was sent arrives first. */
            @Override
            public void close() {
                if (!over && !gone) {
                    other.hear(other::closed);
                    hear(() -> closed("closed here"));
                }
            }

            private void closed() {
                closed("the other side closed the connection");
            }

            private void closed(String why) {
                if (!over) {
                    over = true;
                    handler.closed(why);
                }
            }

            private void hear(Runnable what) {
                long delay = random.nextLong(random.nextInt(LONG_ONE_IN) == 0 ? LONG_DELAY : USUAL_DELAY);
                lastArrival = Math.max(lastArrival, time.now() + delay);
                coming.add(what);
                time.at(lastArrival, this::arrive);
            }

            private void arrive() {
                if (cut || gone) {
                    coming.poll();
                } else if (!listens.getAsBoolean() || time.now() < stalledUntil) {
                    time.at(Math.max(stalledUntil, time.now() + LONG_DELAY), this::arrive);
                } else {
                    Runnable what = coming.poll();
                    if (!over) {
                        what.run();
                    }
                }
            }
        }
    }

    @Override
    public Environment.Port open(ControlAddress at, Tls tls, Function<ControlConnection, ControlHandler> accept)
            throws IOException {
        int number = at.port() == 0 ? ports++ : at.port();
        if (open.putIfAbsent(number, accept) != null) {
            throw new IOException("port " + number + " is in use");
        }
        return new Environment.Port() {
            @Override
            public int number() {
                return number;
            }

            @Override
            public void close() {
                open.remove(number, accept);
            }
        };
    }

    /** Whether a port is open. */
    boolean isOpen(int port) {
        return open.containsKey(port);
    }

    /** Ports that are open. */
    int openPorts() {
        return open.size();
    }

    /**
     * Connects a resource.
     *
     * @param handler hears what the coordinator says
     * @param listens whether it can hear anything now
     */
    Connection connect(int port, ControlHandler handler, BooleanSupplier listens) {
        Connection made = new Connection();
        made.resource.handler = handler;
        made.resource.listens = listens;
        made.coordinator.handler = open.get(port).apply(made.coordinator);
        return made;
    }
}
