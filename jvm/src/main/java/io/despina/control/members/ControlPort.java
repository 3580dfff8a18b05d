package io.despina.control.members;

import io.despina.control.protocol.Message;
import io.despina.control.protocol.MessageTypes;
import io.despina.control.protocol.Refusal;
import io.despina.operator.Reason;
import io.despina.placement.Deployment;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import io.despina.wire.handshake.Tls;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The port at which resources join the coordinator. Admits each expected resource that knows its secret, once. Thread-safe. */
final class ControlPort implements AutoCloseable {
    private static final int MOST_TOLD = 100;

    private final Environment.Port port;
    /** By token, or by name if it joins from elsewhere. */
    private final Map<String, RemoteMember> expected = new ConcurrentHashMap<>();
    /** By token, those that have a secret of their own. Guarded by the lock of {@link Members}. */
    private final Map<String, RemoteMember> own = new HashMap<>();

    /** The names of the deployment's resources, for a resource with a wrong name. */
    private volatile List<String> names = List.of();
    /** Refusals that were printed. */
    private final Set<String> told = ConcurrentHashMap.newKeySet();

    private ControlPort(Environment.Ports ports, ControlAddress at, Tls tls) throws IOException {
        port = ports.open(at, tls, this::accept);
    }

    /** @param tls of the folder that {@code at} names; null for plain TCP */
    static ControlPort open(Environment.Ports ports, ControlAddress at, Tls tls) throws Refusal {
        try {
            return new ControlPort(ports, at, tls);
        } catch (IOException e) {
            throw new Refusal("port_in_use", e.getMessage(),
                    "end what uses the port, or give the resource another control_port; --listen takes an address of this "
                            + "machine");
        }
    }

    /** The port's number. */
    int number() {
        return port.number();
    }

    /** @param resources the resources of the current deployment */
    void serves(List<Deployment.Resource> resources) {
        names = resources.stream().map(Deployment.Resource::name).toList();
    }

    /** One that is started here. It is let in by its token and its secret, and those of no other. */
    void expect(String token, String secret, RemoteMember member) {
        own.entrySet().removeIf(each -> {
            boolean isGone = each.getValue().lost() != null;
            if (isGone) {
                port.forget(each.getKey());
            }
            return isGone;
        });
        own.put(token, member);
        port.admit(token, secret);
        expected.put(token, member);
    }

    /** One that joins from elsewhere, by the secret of the port. */
    void expect(String name, RemoteMember member) {
        expected.put(name, member);
    }

    void expectNoMore(RemoteMember member) {
        expected.values().remove(member);
    }

    /** Accepts a connection that has proved its secret; its first message names the resource. */
    private ControlHandler accept(ControlConnection connection) {
        return new ControlHandler() {
            private RemoteMember member;

            @Override
            public void message(byte[] json) {
                if (member != null) {
                    member.message(json);
                } else if (MessageTypes.decode(json) instanceof Message.Hello hello) {
                    meet(hello);
                }
            }

            private void meet(Message.Hello hello) {
                String key = hello.token().isEmpty() ? hello.name() : hello.token();
                // who knows the secret of one process must not come as another
                RemoteMember awaited = hello.token().equals(connection.admitted()) ? expected.get(key) : null;
                Refusal no = awaited == null ? unknown(hello.name()) : awaited.misfit(hello);
                if (no == null && !expected.remove(key, awaited)) {
                    no = unknown(hello.name());
                }
                if (no == null) {
                    member = awaited;
                    member.joined(connection, hello);
                } else {
                    connection.send(new Message.Refused(no.rule(), no.getMessage(), no.hint()).encode());
                    connection.close();
                    if (hello.token().isEmpty()) {
                        // else it is another attempt of a task that Spark started twice, which is nobody's fault
                        tell(no);
                    }
                }
            }

            @Override
            public void closed(String reason) {
                if (member != null) {
                    member.closed(reason);
                }
            }
        };
    }

    private Refusal unknown(String name) {
        if (names.contains(name)) {
            return new Refusal("join", "resource `" + name + "` is not awaited here",
                    "it has joined already, or the deployment gives it another control_port");
        }
        return new Refusal("join", "the deployment has no resource `" + name + "`; there are " + String.join(", ", names), null);
    }

    /** Prints a refusal once, because a resource may try again and again. */
    private void tell(Refusal no) {
        if (told.size() < MOST_TOLD && told.add(no.getMessage())) {
            System.err.println("despina: refused at joining: " + Reason.visible(no.getMessage()));
        }
    }

    @Override
    public void close() {
        port.close();
    }
}
