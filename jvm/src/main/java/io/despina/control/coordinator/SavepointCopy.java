package io.despina.control.coordinator;

import io.despina.control.members.Environment;
import io.despina.control.protocol.Refusal;
import io.despina.link.Attempt;
import io.despina.operator.Reason;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.Pin;
import io.despina.snapshot.Savepoint;
import io.despina.snapshot.StateFolder;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A savepoint that a user has asked for, from its folder to its manifest. What waits for a disk is called aside, one call after
 * the other.
 */
final class SavepointCopy {
    static final String RULE = "savepoint";
    /** Epochs that may be dropped before it is given up. */
    static final int TRIES = 3;

    private final String address;
    private final Savepoint to;
    private final Environment environment;
    private final CompletableFuture<Manifest> done = new CompletableFuture<>();
    /** Set before the manifest, as what keeps its epoch there. */
    private volatile StateFolder folder;
    private volatile Pin pin;
    /** Set when its epoch is complete; null before. */
    private volatile Manifest manifest;

    SavepointCopy(String address, Savepoint to, Environment environment) {
        this.address = address;
        this.to = to;
        this.environment = environment;
    }

    /** @throws Refusal if the folder is not empty, or nothing can be written there */
    static SavepointCopy at(String address, Environment environment) throws Refusal {
        try {
            return new SavepointCopy(address, Savepoint.begin(environment.stores().open(address)), environment);
        } catch (IOException | IllegalArgumentException e) {
            throw new Refusal(RULE, "no savepoint can be written to " + address + ": " + words(e, address),
                    "name a folder that is not there, or is empty");
        }
    }

    /** The reason; without the path if that is within the savepoint, which is named already. */
    private static String words(Throwable e, String address) {
        String reason = Reason.of(e);
        boolean within = e instanceof FileSystemException file && file.getFile() != null && file.getFile().startsWith(address);
        return within ? reason.replace(((FileSystemException) e).getFile() + ": ", "")
                .replace(" for " + ((FileSystemException) e).getFile(), "") : reason;
    }

    /** Completes when it is written, with its manifest; or with a {@link Refusal}. */
    CompletableFuture<Manifest> done() {
        return done;
    }

    String address() {
        return address;
    }

    /** The epoch that is copied; 0 before. */
    long epoch() {
        return manifest == null ? 0 : manifest.epoch();
    }

    /** @throws Refusal if there is nothing of which a savepoint could be taken */
    void refuse(Attempt attempt, boolean keeps, boolean runs, boolean ends) throws Refusal {
        if (!keeps) {
            throw new Refusal(RULE, attempt.job() + " keeps no state, of which a savepoint is a copy",
                    "run it with a folder for its state: --state DIR");
        }
        if (ends || !runs) {
            throw new Refusal(RULE, attempt.job() + (ends ? " ends, or has ended" : " does not run yet"), null);
        }
    }

    /** The epoch is complete, and no sink or source has been told so: logs still have what it needs. */
    void logs(KeptEpochs kept, Manifest complete) {
        folder = kept.folder();
        pin = folder.pin(complete.epoch(), (what, millis) -> environment.timer().schedule(
                () -> environment.aside().execute(what), millis, TimeUnit.MILLISECONDS));
        try {
            to.logs(folder.store(), folder.paths());
            manifest = complete;
        } catch (Throwable e) {         // no memory: nobody must wait for it for ever, and its epoch stay
            fail(words(e, address));
        }
    }

    /** All sinks have committed it. */
    void write() {
        try {
            Manifest written = to.write(folder.store(), manifest);
            unpin();
            done.complete(written);
        } catch (Throwable e) {         // the same
            fail(words(e, address));
        }
    }

    private void unpin() {
        Pin unneeded = pin;
        pin = null;
        try {
            if (unneeded != null) {
                unneeded.close();
            }
        } catch (IOException stays) {
            System.getLogger(SavepointCopy.class.getName()).log(System.Logger.Level.DEBUG, "it ends by itself", stays);
        }
    }

    void fail(String why) {
        unpin();
        try {
            to.giveUp();
        } finally {
            done.completeExceptionally(new Refusal(RULE, "no savepoint was written to " + address + ": " + why, null));
        }
    }
}
