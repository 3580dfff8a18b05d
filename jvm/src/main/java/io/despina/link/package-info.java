/**
 * Links and their channels: from one sending task to one receiving task, in order, bounded, nothing lost and nothing twice.
 * A channel knows nothing of sockets; {@code wire} carries the remote ones.
 */
package io.despina.link;
