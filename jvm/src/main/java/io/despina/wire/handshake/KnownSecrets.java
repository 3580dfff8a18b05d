package io.despina.wire.handshake;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What peers of this process must know: the secret of one that was admitted under a name, the common secret of any other. Who
 * knows the one of a name does not know another's. Thread-safe.
 */
public final class KnownSecrets {
    private final Secret common;
    private final Map<String, Secret> admitted = new ConcurrentHashMap<>();

    /**
     * The secret of a name.
     *
     * @param admitted under which it was admitted; empty for the common secret
     */
    record Known(String admitted, Secret secret) {
    }

    /** @param common at least 16 bytes */
    public KnownSecrets(byte[] common) {
        this.common = new Secret(common);
    }

    /** The common one, which this process proves to those that it calls. */
    public Secret common() {
        return common;
    }

    /** From now on the secret of that name. */
    public void admit(String name, byte[] secret) {
        admitted.put(name, new Secret(secret));
    }

    /** From now on the common secret is that of the name, too. */
    public void forget(String name) {
        admitted.remove(name);
    }

    /** That of a name, or the common one. */
    public Secret of(String name) {
        return known(name).secret();
    }

    Known known(String name) {
        Secret own = admitted.get(name);
        return own == null ? new Known("", common) : new Known(name, own);
    }
}
