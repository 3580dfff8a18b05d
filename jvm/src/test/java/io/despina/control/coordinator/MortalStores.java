package io.despina.control.coordinator;

import io.despina.snapshot.LocalStore;
import io.despina.snapshot.SnapshotStore;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** Local stores that are lost at a certain write, right before it or right after it: then every call fails. */
final class MortalStores {
    /** Open until the disk is lost, or nobody needs it any more. */
    final CountDownLatch over = new CountDownLatch(1);
    private final boolean afterwards;
    /** Guarded by this. */
    private int left;

    /**
     * @param writes     that succeed before the one at which the disk is lost
     * @param afterwards whether that one succeeds, though its caller does not hear of it
     */
    MortalStores(int writes, boolean afterwards) {
        left = writes;
        this.afterwards = afterwards;
    }

    void giveUp() {
        over.countDown();
    }

    SnapshotStore open(String address) {
        LocalStore store = new LocalStore(Path.of(address));
        return (SnapshotStore) Proxy.newProxyInstance(MortalStores.class.getClassLoader(), new Class<?>[] {SnapshotStore.class},
                (proxy, method, arguments) -> {
                    boolean last = false;
                    synchronized (this) {
                        if (method.getName().equals("createIfAbsent")) {
                            left--;
                            last = left == 0;
                        }
                        if (left < 0 || last && !afterwards) {
                            giveUp();
                            throw lost();
                        }
                    }
                    try {
                        Object answer = method.invoke(store, arguments);
                        if (last) {
                            synchronized (this) {
                                left = -1;
                            }
                            giveUp();
                            throw lost();
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static IOException lost() {
        return new IOException("the disk is lost");
    }
}
