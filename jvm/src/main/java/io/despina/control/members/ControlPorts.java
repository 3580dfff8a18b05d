package io.despina.control.members;

import io.despina.control.protocol.Refusal;
import io.despina.wire.handshake.Tls;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The ports at which resources join, by where they are and with which secret. Guarded by the lock of its {@link Members}. */
final class ControlPorts {
    private final Environment environment;
    private final Map<ControlAddress, ControlPort> open = new HashMap<>();

    ControlPorts(Environment environment) {
        this.environment = environment;
    }

    /**
     * The port of that address, which is opened if it is not open.
     *
     * @param tls of the folder that {@code at} names; null for plain TCP
     */
    ControlPort at(ControlAddress at, Tls tls) throws Refusal {
        ControlPort port = open.get(at);
        if (port == null) {
            port = ControlPort.open(environment.ports(), at, tls);
            open.put(at, port);
        }
        return port;
    }

    /** Closes those that nobody has joined, or is awaited at. */
    void closeUnused(Set<ControlAddress> used) {
        for (Iterator<Map.Entry<ControlAddress, ControlPort>> each = open.entrySet().iterator(); each.hasNext();) {
            Map.Entry<ControlAddress, ControlPort> port = each.next();
            if (!used.contains(port.getKey())) {
                each.remove();
                environment.aside().execute(port.getValue()::close);
            }
        }
    }

    /** All of them, which the caller closes. */
    List<ControlPort> takeAll() {
        List<ControlPort> all = new ArrayList<>(open.values());
        open.clear();
        return all;
    }
}
