/** Redis: streams, by Jedis's connections. */
package io.despina.redis;
