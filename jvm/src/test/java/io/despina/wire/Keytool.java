package io.despina.wire;

import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The JDK's own tool for certificates, in this process: a process for each call took half of the time of the tests of TLS. */
public final class Keytool {
    private static final String TOOL = "sun.security.tools.keytool.Main";

    static {        // stores of tests need no key that is hard to guess: Java would digest each password 10,000 times
        for (String what : new String[] {"mac", "certPbe", "keyPbe"}) {
            System.setProperty("keystore.pkcs12." + what + "IterationCount", "1");
        }
    }

    private Keytool() {
    }

    /** Runs it on a store of keys. @param password of the store */
    public static void run(Path keys, String password, String... words) throws ReflectiveOperationException {
        List<String> all = new ArrayList<>(List.of(words));
        // with -debug it throws where it would end the process
        all.addAll(List.of("-keystore", keys.toString(), "-storetype", "PKCS12", "-storepass", password, "-debug"));
        try {
            Class.forName(TOOL).getMethod("main", String[].class).invoke(null, (Object) all.toArray(String[]::new));
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("keytool " + String.join(" ", all) + ": " + e.getCause(), e.getCause());
        }
    }
}
