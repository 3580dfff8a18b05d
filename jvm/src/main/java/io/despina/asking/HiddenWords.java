package io.despina.asking;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;

/** The secrets that were used: no message shows them, also where an answer repeats one. */
final class HiddenWords {
    private static final int MOST = 100;

    private final Set<String> known = new TreeSet<>();

    /** @return the secret, which is known from now on */
    String add(String secret) {
        if (known.size() < MOST && !secret.isEmpty()) {
            known.add(secret);
            known.add(URLEncoder.encode(secret, StandardCharsets.UTF_8));
        }
        return secret;
    }

    /** The text with {@code …} in place of each of them. */
    String hide(String text) {
        String shown = text;
        for (String secret : known) {
            shown = shown.replace(secret, "…");
        }
        return shown;
    }
}
