package io.despina.control.resource;

import io.despina.control.protocol.Message;
import io.despina.link.Attempt;
import io.despina.wire.Wire;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The jobs that come to a resource's port by secrets of their own. */
final class AdmittedJobs {
    /** Null if the resource has no port. */
    private final Wire wire;
    /** By job, the attempt with which its secret came. Written by the connection's thread. */
    private final Map<String, Attempt> admitted = new ConcurrentHashMap<>();

    AdmittedJobs(Wire wire) {
        this.wire = wire;
    }

    void admit(Message.Deploy deploy) {
        if (wire != null && deploy.secret() != null) {
            admitted.put(deploy.attempt().job(), deploy.attempt());
            wire.admit(deploy.attempt().job(), deploy.secret());
        }
    }

    /** Nobody comes to it any more, unless its next attempt is here. */
    void forget(Attempt attempt) {
        if (admitted.remove(attempt.job(), attempt)) {
            wire.forget(attempt.job());
        }
    }
}
