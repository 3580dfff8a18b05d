package io.despina.control.coordinator;

import io.despina.control.members.Lease;
import io.despina.control.protocol.Message;
import io.despina.snapshot.CommitPermit;
import io.despina.snapshot.Manifest;

/**
 * Keeps the spares of an attempt ready: they plan and compile its graph when it runs, and practise to restore its states, once
 * there are some and again whenever they have grown. Guarded by the lock of its {@link JobAttempt}.
 */
final class Rehearsals {
    private static final int GROWN = 4;

    private final Message.Deploy deploy;
    private final Lease lease;
    /** Of the states that were practised last. */
    private long bytes;

    /** @param deploy what any member of the attempt was sent */
    Rehearsals(Message.Deploy deploy, Lease lease) {
        this.deploy = deploy;
        this.lease = lease;
    }

    /** The attempt runs. */
    void begin() {
        lease.rehearse(new Message.Rehearse(deploy));
    }

    /** An epoch of the attempt is kept. */
    void complete(CommitPermit permit) {
        long now = permit.manifest().files().stream().mapToLong(Manifest.DataFile::length).sum();
        if (now >= GROWN * bytes) {
            bytes = now;
            lease.rehearse(new Message.Rehearse(deploy.from(permit.epoch())));
        }
    }
}
