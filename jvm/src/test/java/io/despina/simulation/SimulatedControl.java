package io.despina.simulation;

import io.despina.control.members.ControlAddress;
import io.despina.control.members.Environment;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Control connections as memory: what either side says arrives in its order, later, much later, or, once the connection is cut,
 * never. Whoever is frozen hears when it is thawed.
 */
final class SimulatedControl {
    private static final long USUAL_DELAY = 200_000;
    private static final long LONG_DELAY = 60_000_000;
    private static final int LONG_ONE_IN = 40;
    private static final int FIRST_PORT = 40_000;

    private final SimulatedTime time;
    private final Random random;
    private final Map<Place, Door> open = new LinkedHashMap<>();
    /** Until when nothing reaches a process, by process. */
    private final Map<Host, Long> cutOff = new HashMap<>();
    /** Whether each process that opens ports is on a machine of its own. */
    private boolean apart;
    private final List<Connection> connections = new ArrayList<>();
    private BiConsumer<Host, byte[]> said = (to, json) -> { };
    private int ports = FIRST_PORT;

    /** A process that has ends of connections. */
    interface Host {

        /** Whether it can hear anything now. */
        boolean listens();

        /** Does what arrives, unless it is dead. */
        void run(Runnable what);
    }

    /** @param host null if all are on one machine */
    private record Place(Host host, int port) {
    }

    /** @param admitted names that have a secret of their own */
    private record Door(Host host, Function<ControlConnection, ControlHandler> accept, Set<String> admitted) {
    }

    SimulatedControl(SimulatedTime time, Random random) {
        this.time = time;
        this.random = random;
    }

    /** Each process that opens ports is on a machine of its own: several may have the same, and whoever dials knows all. */
    void setApart() {
        apart = true;
    }

    /** What is on its way to a process and from it never arrives, and nobody is told; nor does anybody reach it for so long. */
    void cutOff(Host host, long nanos) {
        cutOff.put(host, time.now() + nanos);
        connections.stream().filter(each -> each.coordinator.host == host).forEach(Connection::cut);
    }

    /** Somebody hears all that is said, as it is said, and to whom. */
    void watch(BiConsumer<Host, byte[]> hears) {
        said = hears;
    }

    /** One connection, as both sides have it. */
    final class Connection {
        private final Side resource;
        private final Side coordinator;
        private boolean cut;

        private Connection(Host of, Host to, String admitted) {
            resource = new Side(of, "");
            coordinator = new Side(to, admitted);
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
            resource.die();
            connections.remove(this);
        }

        /** One end: what it sends, and what it hears. */
        private final class Side implements ControlConnection {
            private final Host host;
            private final String admitted;
            private final ArrayDeque<Runnable> coming = new ArrayDeque<>();
            private Side other;
            private ControlHandler handler;
            private long lastArrival;
            private long stalledUntil;
            private boolean over;
            private boolean gone;

            Side(Host host, String admitted) {
                this.host = host;
                this.admitted = admitted;
            }

            @Override
            public String admitted() {
                return admitted;
            }

            private void die() {
                gone = true;
                other.hear(other::closed);
            }

            @Override
            public void send(byte[] json) {
                if (!over && !gone) {
                    said.accept(other.host, json);
                    other.hear(() -> other.handler.message(json));
                }
            }

            @Override
            public void sendInTurn(byte[] json) {
                send(json);
            }

            @Override
            public void execute(Runnable task) {
                task.run();
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
                } else if (!host.listens() || time.now() < stalledUntil) {
                    time.at(Math.max(stalledUntil, time.now() + LONG_DELAY), this::arrive);
                } else {
                    Runnable what = coming.poll();
                    if (!over) {
                        host.run(what);
                    }
                }
            }
        }
    }

    /** Has a process open ports. */
    Environment.Ports of(Host host) {
        return (at, tls, accept) -> open(host, at, accept);
    }

    private Environment.Port open(Host host, ControlAddress at, Function<ControlConnection, ControlHandler> accept)
            throws IOException {
        int number = at.port() == 0 ? ports++ : at.port();
        Door door = new Door(host, accept, new HashSet<>());
        Place place = new Place(apart ? host : null, number);
        if (open.putIfAbsent(place, door) != null) {
            throw new IOException("port " + number + " is in use");
        }
        return new Environment.Port() {
            @Override
            public int number() {
                return number;
            }

            @Override
            public void admit(String name, String secret) {
                door.admitted.add(name);
            }

            @Override
            public void forget(String name) {
                door.admitted.remove(name);
            }

            @Override
            public void close() {
                open.remove(place, door);
            }
        };
    }

    /** A process that has opened ports is killed: its ports are closed, and whoever is connected is told. */
    void died(Host host) {
        open.values().removeIf(door -> door.host == host);
        connections.stream().filter(each -> each.coordinator.host == host).forEach(each -> each.coordinator.die());
        connections.removeIf(each -> each.coordinator.host == host);
    }

    /** Whether somebody accepts connections at a port. */
    boolean isOpen(int port) {
        return !reachable(port).isEmpty();
    }

    private List<Door> reachable(int port) {
        List<Door> found = new ArrayList<>();
        open.forEach((place, door) -> {
            if (place.port == port && door.host.listens() && time.now() >= cutOff.getOrDefault(door.host, 0L)) {
                found.add(door);
            }
        });
        return found;
    }

    /** Ports that are open. */
    int openPorts() {
        return open.size();
    }

    /**
     * Connects a resource, if there are several at that port to one of them.
     *
     * @param name    as which it comes; empty for none
     * @param handler hears what the coordinator says
     */
    Connection connect(int port, Host resource, String name, ControlHandler handler) {
        List<Door> doors = reachable(port);
        Door door = doors.get(doors.size() == 1 ? 0 : random.nextInt(doors.size()));
        Connection made = new Connection(resource, door.host, door.admitted.contains(name) ? name : "");
        made.resource.handler = handler;
        door.host.run(() -> made.coordinator.handler = door.accept.apply(made.coordinator));
        connections.add(made);
        return made;
    }
}
